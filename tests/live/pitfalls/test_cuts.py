"""Places where the graph of what is to be trained is left."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told


def test_of_indices_and_what_is_picked_by_them_the_latter_is_told(tmp_path: Path) -> None:
    source = """
    codes = torch.nn.Embedding(5, 1)
    opt.add_param_group({"params": codes.parameters()})
    for _ in range(3):
        found = net(x)
        nearest = (found - codes.weight.t()).abs().argmin(1)
        picked = found + (codes(nearest) - found).detach()  # here
        loss = (picked - y).square().mean()
        fit(loss)
    """
    assert told(source, tmp_path) == here("gradient-cut", source)


def test_indices_that_nothing_is_picked_by_are_told(tmp_path: Path) -> None:
    source = """
    gate = torch.nn.Linear(2, 3)
    opt.add_param_group({"params": gate.parameters()})
    for _ in range(3):
        chosen = gate(x).argmax(1)  # here
        loss = (net(x) * (chosen + 1).unsqueeze(1) - y).square().mean()
        fit(loss)
    """
    assert told(source, tmp_path) == here("gradient-cut", source)


ENCODED = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 3)
            self.head = torch.nn.Linear(3, 1)
        @torch.no_grad()
        def encode(self, x):
            return self.inner(x)  # here
        def forward(self, x):
            return self.head(self.encode(x))
    model = Model()
    {given}
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        fit((model(x) - y).square().mean())
    """


def test_weights_that_are_random_and_only_run_by_a_decorated_function_are_told(
    tmp_path: Path,
) -> None:
    source = ENCODED.format(given="")
    assert told(source, tmp_path) == here("gradient-cut", source)


@pytest.mark.parametrize(
    "given",
    [
        "model.inner.load_state_dict(torch.nn.Linear(2, 3).state_dict())",
        "[p.data.copy_(torch.ones(p.shape)) for p in model.inner.parameters()]",
        "model.inner.requires_grad_(False)",
    ],
)
def test_weights_that_were_given_values_or_frozen_are_meant_to_stay(
    given: str, tmp_path: Path
) -> None:
    assert told(ENCODED.format(given=given), tmp_path) == []

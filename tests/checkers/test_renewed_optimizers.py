"""Optimizers that a loop makes anew for each step."""

import pytest

from tests.vm.running import HEAD, faults, kinds

LOOP = """
model = nn.Linear(2, 1)
start = {{name: value.clone() for name, value in model.state_dict().items()}}
for x in torch.ones(9, 1, 2):
    {before}
    optimizer = torch.optim.{made}
    for _ in range({steps}):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""
ADAM = "Adam(model.parameters())"


def test_an_optimizer_with_moments_for_each_step_is_told() -> None:
    assert kinds(LOOP.format(before="pass", made=ADAM, steps=1)) == ["optimizer-made-anew"]


@pytest.mark.parametrize(
    ("before", "made", "steps"),
    [
        ("pass", "SGD(model.parameters(), lr=0.1)", 1),
        ("pass", ADAM, 2),
        ("model.load_state_dict(start)", ADAM, 1),
        ("model = nn.Linear(2, 1)", ADAM, 1),
    ],
)
def test_an_optimizer_without_a_state_or_for_a_task_of_its_own_is_not(
    before: str, made: str, steps: int
) -> None:
    assert kinds(LOOP.format(before=before, made=made, steps=steps)) == []


ASKED = """
def made(model):
    return torch.optim.Adam(model.parameters())

model = nn.Linear(2, 1)
for x in torch.ones(9, 1, 2):
    optimizer = made(model)
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def test_the_call_of_the_function_that_makes_the_optimizer_is_named() -> None:
    (fault,) = faults(ASKED)
    (called,) = fault.noted
    line = "    optimizer = made(model)"
    assert called.place is not None
    assert (HEAD + ASKED).splitlines()[called.place.row - 1] == line

"""Ties that a new module breaks."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "the embedding is replaced by a larger one": """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(5, 3)
            self.head = torch.nn.Linear(3, 5, bias=False)
            self.head.weight = self.embed.weight
        def grow(self):
            self.embed = torch.nn.Embedding(7, 3)  # here
    model = Model()
    model.grow()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        fit(model.head(model.embed(torch.tensor([1, 6]))).square().mean())
    """,
    "both are replaced": """
    model = torch.nn.Sequential(torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False))
    model[1].weight = model[0].weight
    new = torch.nn.Embedding(7, 3)  # here
    head = torch.nn.Linear(3, 7, bias=False)
    head.weight.data.copy_(new.weight)
    model[0], model[1] = new, head
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        fit(model(torch.tensor([1, 6])).square().mean())
    """,
}

RIGHT = {
    "tied again": """
    model = torch.nn.Sequential(torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False))
    model[1].weight = model[0].weight
    model[0] = torch.nn.Embedding(7, 3)
    model[1].weight = model[0].weight
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        fit(model(torch.tensor([1, 6])).square().mean())
    """,
    "one is cloned to go apart": """
    model = torch.nn.Sequential(torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False))
    model[1].weight = model[0].weight
    model[1].weight = torch.nn.Parameter(model[0].weight.detach().clone())
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        fit(model(torch.tensor([1, 4])).square().mean())
    """,
    "another embedding of another size": """
    model = torch.nn.Sequential(torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False))
    model[1].weight = model[0].weight
    places = torch.nn.Embedding(9, 3)
    whole = torch.nn.ModuleList([model, places])
    opt = torch.optim.SGD(whole.parameters(), lr=0.1)
    for _ in range(3):
        read = model[0](torch.tensor([1, 4])) + places(torch.tensor([0, 1]))
        fit(model[1](read).square().mean())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_tie_that_is_gone_when_the_optimizer_is_made_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("tie-broken", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_ties_that_hold_or_are_given_up_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

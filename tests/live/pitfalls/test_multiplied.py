"""Containers of one layer that was put there several times."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a list": """
    layers = torch.nn.ModuleList([torch.nn.Linear(2, 2)] * 3)  # here
    opt = torch.optim.SGD(layers.parameters(), lr=0.1)
    for _ in range(3):
        h = x
        for layer in layers:
            h = layer(h)
        fit(h.square().mean())
    """,
    "a name": """
    parts = [torch.nn.Linear(2, 2), ] * 2
    chain = torch.nn.Sequential(*parts)  # here
    opt = torch.optim.SGD(chain.parameters(), lr=0.1)
    for _ in range(3):
        fit(chain(x).square().mean())
    """,
}

RIGHT = {
    "one each": """
    layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])
    opt = torch.optim.SGD(layers.parameters(), lr=0.1)
    for _ in range(3):
        h = x
        for layer in layers:
            h = layer(h)
        fit(h.square().mean())
    """,
    "a layer without parameters": """
    chain = torch.nn.Sequential(*[torch.nn.Tanh()] * 2, torch.nn.Linear(2, 1))
    opt = torch.optim.SGD(chain.parameters(), lr=0.1)
    for _ in range(3):
        fit(chain(x).square().mean())
    """,
    "one layer that a loop puts there": """
    shared = torch.nn.Linear(2, 2)
    layers = torch.nn.ModuleList()
    for _ in range(3):
        layers.append(shared)
    opt = torch.optim.SGD(layers.parameters(), lr=0.1)
    for _ in range(3):
        h = x
        for layer in layers:
            h = layer(h)
        fit(h.square().mean())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_list_that_is_multiplied_and_trained_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("layer-multiplied", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_layers_of_their_own_and_one_that_is_applied_again_are_quiet(
    name: str, tmp_path: Path
) -> None:
    assert told(RIGHT[name], tmp_path) == []

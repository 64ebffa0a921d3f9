"""What is silently wrong where nothing of a program that trains uses it."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, weights

LAYERS = """import torch
from torch import nn

class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
TRAINING = "net = nn.Linear(2, 2)\nnet(torch.ones(2)).sum().backward()\n"


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("", False),
        ("from own import Layers\n", False),
        ("layers = own.Layers()\n", True),
        ("NAMES = ['own.Layers']\n", True),
        ("import own\nmade = getattr(own, input())()\n", True),
    ],
)
def test_what_nothing_uses_is_no_mistake_of_the_program(
    tmp_path: Path, other: str, shown: bool
) -> None:
    found = weights(tmp_path, LAYERS, {"train.py": HEAD + TRAINING + other})
    assert found and any(weight < 2 for weight in found) is shown


def test_a_project_that_trains_nothing_is_there_for_others(tmp_path: Path) -> None:
    found = weights(tmp_path, LAYERS, {"use.py": HEAD + "net = nn.Linear(2, 2)\n"})
    assert any(weight < 2 for weight in found)


def test_a_framework_may_use_what_derives_from_its_classes(tmp_path: Path) -> None:
    source = LAYERS.replace("(nn.Module)", "(nn.Module, framework.Model)")
    source = source.replace("import torch", "import framework, torch")
    found = weights(tmp_path, source, {"train.py": HEAD + TRAINING})
    assert any(weight < 2 for weight in found)

"""Modules that nothing makes in a program which trains others."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, weights

GENERATOR = """import torch
from torch import nn

class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        y = self.layer(x).exp()
        y += 1
        return y
"""
TRAINING = "net = nn.Linear(2, 2)\nnet(torch.ones(2)).sum().backward()\n"


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (TRAINING, False),
        (TRAINING + "generator = Generator()\n", True),
        (TRAINING + "names = ['Generator']\n", True),
        ("net = nn.Linear(2, 2)\n", True),
    ],
)
def test_what_nothing_makes_is_trained_by_nobody(tmp_path: Path, other: str, shown: bool) -> None:
    found = weights(tmp_path, GENERATOR, {"train.py": HEAD + other})
    assert found and any(weight < 2 for weight in found) is shown


def test_what_a_package_offers_others_make(tmp_path: Path) -> None:
    others = {"__init__.py": "from own import Generator\n", "train.py": HEAD + TRAINING}
    assert any(weight < 2 for weight in weights(tmp_path, GENERATOR, others))


CHECKPOINTED = """import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return checkpoint(self.layer, x)
"""


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("", False),
        ("class Checkpointed(nn.Linear):\n    pass\nkept = Checkpointed(2, 2)\n", False),
        ("net = Checkpointed()\n", True),
    ],
)
def test_torch_warns_nobody_of_what_nothing_makes(tmp_path: Path, other: str, shown: bool) -> None:
    found = weights(tmp_path, CHECKPOINTED, {"train.py": HEAD + TRAINING + other})
    assert any(weight < 2 for weight in found) is shown


@pytest.mark.parametrize(
    ("decorator", "shown"),
    [
        ("MODELS.register", True),
        ("MODELS.register_module()", True),
        ("register_model", True),
        ("torch.jit.script", False),
    ],
)
def test_what_a_decorator_registers_is_made_by_its_name(
    tmp_path: Path, decorator: str, shown: bool
) -> None:
    source = GENERATOR.replace("class Generator", f"@{decorator}\nclass Generator")
    found = weights(tmp_path, source, {"train.py": HEAD + TRAINING})
    assert found and any(weight < 2 for weight in found) is shown

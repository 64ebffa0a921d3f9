"""Objects whose parameters whoever makes them freezes."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, weights

QUANTIZER = """import torch
from torch import nn

class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def rebuild(self, x):
        y = self.layer(x).exp()
        y += 1
        return y
"""
TOKENIZER = """
class Tokenizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantizer = Quantizer()
        {freezing}

    def forward(self, x):
        return self.quantizer.rebuild(x)
"""
ANNOTATED = """
def parts(tokenizer: Tokenizer):
    Quantizer.rebuild
    own: list[Quantizer] = [tokenizer.quantizer]
    return own
"""


@pytest.mark.parametrize(
    ("freezing", "shown"),
    [
        ("[one.requires_grad_(False) for one in self.parameters()]", False),
        ("for one in self.parameters(): one.requires_grad = False", False),
        ("for one in self.encoder.parameters(): one.requires_grad = False", True),
        ("pass", True),
    ],
)
def test_what_its_maker_freezes_has_no_graph(tmp_path: Path, freezing: str, shown: bool) -> None:
    others = {"tokenizer.py": HEAD + TOKENIZER.format(freezing=freezing)}
    found = weights(tmp_path, QUANTIZER, others)
    assert found and any(weight < 2 for weight in found) is shown


def test_an_annotation_or_a_name_of_a_method_makes_no_object(tmp_path: Path) -> None:
    frozen = "[one.requires_grad_(False) for one in self.parameters()]"
    others = {"tokenizer.py": HEAD + TOKENIZER.format(freezing=frozen) + ANNOTATED}
    found = weights(tmp_path, QUANTIZER, others)
    assert found and all(weight >= 2 for weight in found)

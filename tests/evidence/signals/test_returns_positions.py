"""Whether a function decodes results, told by the positions that it returns."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import is_shown

DECODING = """import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        return self.layer(x)

    def {name}(self, x):
        scores = self.layer(x)
        {picked}
        best = scores.gather(1, path[:, :1])
        path[:, 1] = 0
        return {returned}
"""
CALLED = "tagger = Tagger()\n"


@pytest.mark.parametrize(
    ("name", "picked", "returned", "shown"),
    [
        ("best_path", "path = torch.argmax(scores, 1, keepdim=True)", "best, path", False),
        ("best_path", "_, path = scores.topk(2)", "best, path", False),
        ("best_path", "_, path = scores.topk(2)", "best", True),
        ("forward", "_, path = scores.topk(2)", "best, path", True),
    ],
)
def test_a_function_that_returns_the_positions_it_picked_is_hardly_trained(
    tmp_path: Path, name: str, picked: str, returned: str, shown: bool
) -> None:
    text = DECODING.format(name=name, picked=picked, returned=returned)
    assert is_shown(tmp_path, text, CALLED) is shown

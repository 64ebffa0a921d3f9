"""What ends with a test matters to no training."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

TESTED = """import torch
import unittest

class LayerCase({base}):
    def test_sums(self):
        layer = torch.nn.Linear(2, 2)
        layer.eval()
        for _ in range(3):
            print(layer(torch.ones(1, 2)).sum().item())
"""


@pytest.mark.parametrize(("base", "weights"), [("unittest.TestCase", {2}), ("object", {0})])
def test_a_test_of_unittest_is_one_in_any_file(
    base: str, weights: set[int], tmp_path: Path
) -> None:
    write_tree(tmp_path, {"layers.py": TESTED.format(base=base)})
    source = Source(str(tmp_path / "layers.py"), TESTED.format(base=base))
    assert {one.weight for one in analyse(source, Project([tmp_path]))} == weights

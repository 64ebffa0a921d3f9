"""What a program takes for a tensor, and is none."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

GATHERING = """
def gathered(x, counts):
    {returned}
"""
TELLING = """
import torch
from gathering import gathered
from library import counts
x = torch.ones(3, requires_grad=True)
total = gathered(x * 2, counts())
total.backward(torch.ones(3))
"""


@pytest.mark.parametrize(
    ("returned", "found"),
    [("return (x, counts) if counts.wanted else x", 0), ("return x, counts", 1)],
)
def test_types_that_only_some_paths_of_another_file_give_are_daring(
    tmp_path: Path, returned: str, found: int
) -> None:
    write_tree(tmp_path, {"gathering.py": GATHERING.format(returned=returned)})
    faults = analyse(Source(str(tmp_path / "main.py"), TELLING), Project([tmp_path]))
    assert sum(fault.weight <= 1 for fault in faults) == found

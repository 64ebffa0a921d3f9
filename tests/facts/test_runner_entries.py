"""Tests, by the names that runners go by."""

from pathlib import Path

import pytest

from autograd_lint.facts.runner_entries import runner_entries
from autograd_lint.project.modules import Project
from tests.fakes import write_tree

OPS = "import torch\n\n\ndef bump(h):\n    h += 1\n    return h\n"
TESTED = """\
import torch
from ops import bump
from math import sin


def test_bump():
    assert bump(torch.ones(1)) == 2


def test_sine():
    assert sin(torch.zeros(1)) == 0


def helper():
    return bump(torch.ones(1))
"""


@pytest.mark.parametrize(("name", "found"), [("test_ops.py", ["test_bump"]), ("use.py", [])])
def test_the_tests_of_what_is_imported(tmp_path: Path, name: str, found: list[str]) -> None:
    write_tree(tmp_path, {"ops.py": OPS, name: TESTED})
    project = Project([tmp_path])
    source = project.file(str(tmp_path / name))
    assert source is not None
    assert runner_entries(source, project) == found

"""What the run of a test shows to raise, whoever runs the tests would have seen."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

OPS = """import torch

def bump(h):
    h = h.exp()
    h += 1
    return h
"""
BODY = """w = torch.ones(3, requires_grad=True)
        y = bump(w)
        y.sum().backward()
"""
CASES = f"""import unittest
import torch
from ops import bump

class BumpCase(unittest.TestCase):
    def test_bump(self):
        {BODY}
"""
FUNCTION = f"""import torch
from ops import bump

def test_bump():
    if True:
        {BODY}
"""
SCRIPT = FUNCTION.replace("test_bump", "run")


@pytest.mark.parametrize(
    ("name", "text", "seen"),
    [
        ("test_ops.py", FUNCTION, True),
        ("tests/bumping.py", FUNCTION, True),
        ("checks/bumping.py", CASES, True),
        ("tests/bumping.py", SCRIPT, False),
        ("checks/bumping.py", FUNCTION, False),
    ],
)
def test_the_entry_tells_a_test_and_not_the_name_of_its_file_alone(
    tmp_path: Path, name: str, text: str, seen: bool
) -> None:
    write_tree(tmp_path, {"ops.py": OPS, name: text})
    faults = analyse(Source(str(tmp_path / name), text), Project([tmp_path]))
    kinds = {why.kind for fault in faults for why in fault.assumptions}
    assert (Kind.TEST_FAILS in kinds) is seen
    assert faults

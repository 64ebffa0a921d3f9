"""Tests, as a runner runs them."""

from pathlib import Path

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from tests.fakes import write_tree
from tests.vm.running import certain, kinds

CASE = """
import unittest

class TestIt(unittest.TestCase):
    def setUp(self):
        self.x = torch.ones(3, requires_grad=True)

    def test_first(self):
        torch.set_grad_enabled(False)
        self.x.data = torch.zeros(3)

    {mark}
    def test_second(self):
        y = self.x.exp()
        y.add_(1)
        y.sum().backward()
"""


def test_each_test_has_an_object_and_a_mode_of_its_own() -> None:
    assert certain(CASE.format(mark="")) == ["saved-tensor-modified"]


def test_a_test_that_is_expected_to_fail_is_left_out() -> None:
    assert kinds(CASE.format(mark="@unittest.expectedFailure")) == []


def test_a_function_that_is_expected_to_fail_is_left_out() -> None:
    text = "import pytest\n@pytest.mark.xfail\ndef test_it():\n"
    body = "    x = torch.ones(3, requires_grad=True)\n    x.add_(1)\n"
    assert kinds(text + body) == []


def test_a_test_behind_an_unknown_decorator_is_no_entry(tmp_path: Path) -> None:
    head = "import torch\nfrom ops import bump\nfrom other import around\n\n\n"
    tested = head + "@around\ndef test_it():\n    bump(torch.ones(1))\n"
    ops = "def bump(h):\n    h += torch.ones(1)\n"
    write_tree(tmp_path, {"ops.py": ops, "test_ops.py": tested})
    project = Project([tmp_path])
    source = project.file(str(tmp_path / "test_ops.py"))
    assert source is not None
    assert analyse(source, project) == []

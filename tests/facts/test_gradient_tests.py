"""Functions that tests of a project differentiate."""

from pathlib import Path

import pytest

from autograd_lint.facts.callers import owner_at
from autograd_lint.facts.gradient_tests import is_differentiated_in_tests
from autograd_lint.project.modules import Project
from tests.fakes import write_tree

OPS = """\
import torch
def inner(x):
    return x.exp()
def outer(x):
    return inner(x)
class Outer(torch.nn.Module):
    def forward(self, x):
        return x
"""
HEAD = "import torch\nimport ops\nfrom torch.autograd import gradcheck\ndef test_it():\n"
INPUT = "    x = torch.ones(1, dtype=torch.double, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("row", "name", "test", "told"),
    [
        (4, "test_ops.py", "    assert gradcheck(ops.outer, (x,))\n", True),
        (2, "test_ops.py", "    assert gradcheck(ops.outer, (x,))\n", True),
        (7, "test_ops.py", "    assert gradcheck(ops.Outer(), (x,))\n", True),
        (4, "test_ops.py", "    ops.outer(x).sum().backward()\n", True),
        (4, "test_ops.py", "    y = 2 * x\n    ops.outer(y).sum().backward()\n", True),
        (4, "test_ops.py", "    (x * ops.outer(torch.ones(1))).sum().backward()\n", False),
        (4, "test_ops.py", "    assert ops.outer(x).shape == (1,)\n", False),
        (7, "test_ops.py", "    assert gradcheck(ops.outer, (x,))\n", False),
        (4, "use.py", "    assert gradcheck(ops.outer, (x,))\n", False),
    ],
)
def test_what_a_test_walks_back_through(
    tmp_path: Path, row: int, name: str, test: str, told: bool
) -> None:
    write_tree(tmp_path, {"ops.py": OPS, name: HEAD + INPUT + test})
    project = Project([tmp_path])
    source = project.file(str(tmp_path / "ops.py"))
    assert source is not None
    owner = owner_at(source, row)
    assert owner is not None
    assert is_differentiated_in_tests(owner, project) == told


def test_a_backward_without_an_input_that_requires_grad_tells_nothing(tmp_path: Path) -> None:
    test = "    layer = torch.nn.Linear(1, 1)\n    layer(ops.outer(torch.ones(1))).backward()\n"
    write_tree(tmp_path, {"ops.py": OPS, "test_ops.py": HEAD + test})
    project = Project([tmp_path])
    source = project.file(str(tmp_path / "ops.py"))
    assert source is not None
    owner = owner_at(source, 4)
    assert owner is not None
    assert not is_differentiated_in_tests(owner, project)

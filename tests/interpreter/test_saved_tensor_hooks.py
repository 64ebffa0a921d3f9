"""What is saved while hooks take it."""

import pytest

from autograd_lint.interpreter import analyse
from autograd_lint.project.source import Source

PROGRAM = """
import torch
x = torch.ones(3, requires_grad=True)
c = torch.ones(3)
with {manager}:
    loss = (x * c).sum()
c.fill_(100.0)
loss.backward()
"""
HOOKS = "torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)"


@pytest.mark.parametrize("manager", [HOOKS, "torch.autograd.graph.save_on_cpu()"])
def test_a_version_is_not_checked(manager: str) -> None:
    program = PROGRAM.format(manager=manager)
    assert analyse(Source("a.py", program)) == []
    exec(program, {})


def test_it_is_checked_without_them() -> None:
    (fault,) = analyse(Source("a.py", PROGRAM.format(manager="torch.enable_grad()")))
    assert fault.modified is not None


def test_a_graph_is_freed_all_the_same() -> None:
    program = PROGRAM.format(manager=HOOKS) + "loss.backward()\n"
    (fault,) = analyse(Source("a.py", program))
    assert fault.place is not None
    assert fault.place.row == 9

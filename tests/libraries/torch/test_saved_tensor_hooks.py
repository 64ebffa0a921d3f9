"""What is saved while hooks take it."""

import pytest
import torch

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
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
def test_a_version_is_not_checked_so_the_gradient_is_wrong(manager: str) -> None:
    program = PROGRAM.format(manager=manager)
    (fault,) = analyse(Source("a.py", program))
    assert fault.modified is not None
    assert not fault.modified.bumped
    names: dict[str, torch.Tensor] = {}
    exec(program, names)
    assert torch.equal(names["x"].grad, torch.full((3,), 100.0))


def test_what_hooks_make_of_it_is_not_known() -> None:
    hooks = "torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)"
    program = PROGRAM.format(manager=hooks)
    assert analyse(Source("a.py", program)) == []
    names: dict[str, torch.Tensor] = {}
    exec(program, names)
    assert torch.equal(names["x"].grad, torch.ones(3))


def test_it_is_checked_without_them() -> None:
    (fault,) = analyse(Source("a.py", PROGRAM.format(manager="torch.enable_grad()")))
    assert fault.modified is not None


def test_a_graph_is_freed_all_the_same() -> None:
    program = PROGRAM.format(manager=HOOKS).replace("c.fill_(100.0)", "loss.backward()")
    (fault,) = analyse(Source("a.py", program))
    assert fault.kind is FaultKind.GRAPH_FREED

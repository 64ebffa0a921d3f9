"""Attributes that a program sets on tensors."""

from autograd_lint.engine.faults import FaultKind
from tests.vm.running import kinds

NO_GRAD_ROOT = FaultKind.NO_GRAD_ROOT.value
START = "import torch\nw = torch.ones(2, requires_grad=True)\np = torch.zeros(2)\n"


def test_what_was_set_is_read_with_its_graph() -> None:
    assert kinds(START + "p.update = w * 2\n(p + p.update).sum().backward()\n") == []


def test_what_was_set_without_a_graph_has_none() -> None:
    text = START + "p.update = torch.ones(2)\n(p + p.update).sum().backward()\n"
    assert kinds(text) == [NO_GRAD_ROOT]


def test_a_tensor_has_what_was_set_on_it() -> None:
    text = START + "p.update = w * 2\nif hasattr(p, 'update'):\n    p = p + p.update\n"
    assert kinds(text + "p.sum().backward()\n") == []


def test_a_method_in_the_place_of_a_tensor_says_nothing_of_the_result() -> None:
    assert kinds(START + "(p + p.elsewhere).sum().backward()\n") == []

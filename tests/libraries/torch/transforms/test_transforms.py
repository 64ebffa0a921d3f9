"""Functions of functions: what `vmap` refuses to write."""

import pytest

from tests.vm.running import certain, kinds

VMAP = """
from torch.func import jacrev, vmap
def error(x, y):
    found = {make}
    {write}
    return found
{call}
"""
CALL = "vmap(error)(torch.rand(4, 3), torch.rand(4, 3))"


@pytest.mark.parametrize("write", ["found[:] = x", "found.add_(x * y)", "found[0] += y[0]"])
def test_a_batch_cannot_be_written_into_one_tensor(write: str) -> None:
    assert certain(VMAP.format(make="torch.zeros(3)", write=write, call=CALL)) == ["other"]


@pytest.mark.parametrize(
    ("make", "write"),
    [
        ("torch.zeros(3)", "found.add_(1)"),
        ("torch.zeros_like(x)", "found.add_(y)"),
        ("x.new_zeros(3)", "found.add_(y)"),
        ("x * 2", "found.add_(y)"),
        ("torch.zeros(3)", "found = found + x"),
    ],
)
def test_what_has_a_batch_may_be_written(make: str, write: str) -> None:
    assert certain(VMAP.format(make=make, write=write, call=CALL)) == []


def test_what_all_the_batch_shares_may_be_written() -> None:
    call = "vmap(error, in_dims=(None, 0))(torch.rand(3), torch.rand(4, 3))"
    text = VMAP.format(make="torch.zeros(3)", write="found.add_(x)", call=call)
    assert certain(text) == []


def test_derivatives_inside_are_looked_through() -> None:
    call = "vmap(jacrev(error))(torch.rand(4, 3), torch.rand(4, 3))"
    assert certain(VMAP.format(make="torch.zeros(3)", write="found[:] = y", call=call)) == ["other"]


def test_outside_of_it_nothing_is_refused() -> None:
    call = "error(torch.rand(3), torch.rand(3))"
    assert certain(VMAP.format(make="torch.zeros(3)", write="found[:] = x", call=call)) == []


def test_a_dictionary_of_tensors_is_differentiated_by() -> None:
    text = "f = lambda given: given['w'] * 2\n"
    assert kinds(text + "torch.func.jacrev(f)({'w': torch.ones(2)})\n") == []
    assert kinds(text + "torch.func.jacrev(f)(2)\n") == ["other"]


def test_what_gets_several_gradients_is_not_one_tensor() -> None:
    text = "found = library.both()\ngiven = (torch.ones(2), torch.ones(2))\n"
    assert kinds(text + "torch.autograd.backward(found, grad_tensors=given)\n") == []
    assert kinds(text + "torch.autograd.backward(found[0], grad_tensors=given[0])\n") == []
    two = "y = torch.ones(2, requires_grad=True) * 2\ntorch.autograd.backward([y, y], given[:1])\n"
    assert kinds(text + two) == ["other"]

"""In-place writes to tensors of a graph that nothing raises at."""

import pytest
import torch

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import HEAD, noted, rows
from tests.vm.running import certain, kinds

UNSEEN = {
    "memory taken over by set_": "c = torch.ones(3)\nu = torch.empty(0).set_(c)\n"
    "loss = (w * c).sum()\nu.add_(1)\nloss.backward()\n",
    "a part of unsafe_chunk": "y = w.exp()\na, b, c = torch.unsafe_chunk(y, 3)\n"
    "a.zero_()\ny.sum().backward()\n",
    "what a checkpointed function reads": "from torch.utils.checkpoint import checkpoint\n"
    "c = torch.ones(3)\nloss = checkpoint(lambda a: (a * c).sum(), w, use_reentrant=False)\n"
    "c.mul_(5)\nloss.backward()\n",
    "the storage": "y = w.exp()\ny.untyped_storage().fill_(0)\ny.sum().backward()\n",
    "a row of an array": "y = w.exp()\nrows = y.detach().numpy().reshape(1, 3)\nrow = rows[0]\n"
    "row[:] = 0\ny.sum().backward()\n",
    "a method of an array": "y = w.exp()\ny.detach().numpy().fill(0)\ny.sum().backward()\n",
    "an attribute of ctx": "class Square(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, x):\n        ctx.x = x\n        return x * x\n"
    "    @staticmethod\n    def backward(ctx, g):\n        return 2 * ctx.x * g\n"
    "h = w * 1\ny = Square.apply(h)\nwith torch.no_grad():\n    h.mul_(10)\ny.sum().backward()\n",
}


@pytest.mark.parametrize("program", UNSEEN.values(), ids=UNSEEN.keys())
def test_a_saved_tensor_is_written_unseen(program: str) -> None:
    leaf = "w = torch.ones(3, requires_grad=True)\n"
    faults = analyse(Source("program.py", HEAD + leaf + program))
    (fault,) = (fault for fault in faults if fault.kind is FaultKind.SAVED_TENSOR_MODIFIED)
    assert fault.modified is not None
    assert not fault.modified.bumped


def test_a_write_after_a_hook() -> None:
    program = """
        hidden = model(loader[0][0])
        hidden.register_hook(print)
        hidden *= 2
        hidden.sum().backward()
        """
    assert rows(program, Pitfall.OBSERVED_MODIFIED) == [4]


def test_a_hook_after_the_last_write() -> None:
    program = """
        hidden = model(loader[0][0])
        hidden *= 2
        hidden.register_hook(print)
        hidden.sum().backward()
        """
    assert noted(program) == set()


@pytest.mark.parametrize("write", ["gt_(0)", "logical_not_()", "eq_(1)"])
def test_a_write_without_derivative(write: str) -> None:
    program = f"""
        hidden = model(loader[0][0])
        hidden.{write}
        hidden.sum().backward()
        """
    assert rows(program, Pitfall.WRITE_WITHOUT_DERIVATIVE) == [3]


def test_a_mask_made_in_place_of_detached_values() -> None:
    program = """
        hidden = model(loader[0][0])
        mask = hidden.detach().clone().gt_(0)
        (hidden * mask).sum().backward()
        """
    assert noted(program) == set()


@pytest.mark.parametrize("write", ["clamp_(max=2.0)", "mul_(3)", "neg_()"])
def test_a_change_that_autograd_does_not_record(write: str) -> None:
    program = f"""
        hidden = model[0](loader[0][0]) + 1
        hidden.data.{write}
        model[2](hidden).sum().backward()
        """
    assert rows(program, Pitfall.UNRECORDED_CHANGE) == [3]


def test_a_change_under_no_grad() -> None:
    program = """
        hidden = model[0](loader[0][0]) + 1
        with torch.no_grad():
            hidden.clamp_(max=2.0)
        model[2](hidden).sum().backward()
        """
    assert rows(program, Pitfall.UNRECORDED_CHANGE) == [4]


@pytest.mark.parametrize("write", ["add_(1)", "masked_fill_(torch.ones(3, 8).bool(), 0.0)"])
def test_a_change_that_leaves_the_derivative_as_it_is(write: str) -> None:
    program = f"""
        hidden = model[0](loader[0][0]) + 1
        hidden.data.{write}
        model[2](hidden).sum().backward()
        """
    assert noted(program) == set()


def test_weights_scaled_through_their_data() -> None:
    program = """
        for p in model.parameters():
            p.data.mul_(0.5)
        model(loader[0][0]).sum().backward()
        """
    assert noted(program) == set()


UNRECORDED = """
w = torch.rand(3, requires_grad=True)
hidden = w * 2
with torch.no_grad():
    hidden.{write}
hidden.sum().backward()
"""


@pytest.mark.parametrize(
    ("write", "found", "sure"),
    [
        ("mul_(2)", ["unrecorded-change"], True),
        ("clamp_(min=0)", ["unrecorded-change"], False),
        ("mul_(1)", [], False),
    ],
)
def test_a_change_that_may_leave_values_as_they_are(
    write: str, found: list[str], sure: bool
) -> None:
    program = UNRECORDED.format(write=write)
    assert kinds(program) == found
    assert bool(certain(program)) is sure


@pytest.mark.parametrize(("made", "found"), [("ones", ["saved-tensor-modified"]), ("zeros", [])])
def test_scaling_zeros_changes_nothing(made: str, found: list[str]) -> None:
    program = f"""
w = torch.{made}(3, requires_grad=True)
loss = w.pow(2).sum()
w.data *= 2.0
loss.backward()
"""
    assert kinds(program) == found
    w = getattr(torch, made)(3, requires_grad=True)
    loss = w.pow(2).sum()
    before = w.detach().clone()
    w.data *= 2.0
    loss.backward()
    assert w.grad is not None
    assert torch.equal(w.grad, 2 * before) is (made == "zeros")

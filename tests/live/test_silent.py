"""Writes that the version counter does not see: told when values changed, and only then."""

import pytest

from autograd_lint.engine.faults import FaultKind
from tests.live.programs import Run

HEAD = """
import torch
x = torch.zeros(3, requires_grad=True)
h = torch.sigmoid(x)
"""
TAIL = "\nh.sum().backward()\n"

WRITES = {
    ".data": "h.data.add_(1)",
    "numpy": "h.detach().numpy()[...] += 1",
    "numpy kept": "a = h.detach().numpy(); a += 1",
    "storage": "h.untyped_storage().fill_(0)",
    "apply_": "h.data.apply_(lambda v: v + 1)",
}
HARMLESS = {
    "same values": "h.data.clamp_(0, 1)",
    "written and restored": "h.data.add_(0.5); h.data.sub_(0.5)",
    "read only": "h.detach().numpy().sum()",
    "another tensor": "torch.zeros(3).data.add_(1)",
}


@pytest.mark.parametrize("name", WRITES)
def test_hidden_write_is_told(name: str, traced: Run) -> None:
    run = traced(HEAD + WRITES[name] + TAIL)
    assert run.error is None
    assert run.fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    assert run.fault.modified is not None
    assert not run.fault.modified.bumped
    assert run.rows() == {"saved": 3, "modified": 4, "needed": 5}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_write_is_not_told(name: str, traced: Run) -> None:
    assert traced(HEAD + HARMLESS[name] + TAIL).tracer.faults == []


def test_write_to_an_array_that_a_tensor_was_made_of(traced: Run) -> None:
    run = traced(
        """
        import numpy, torch
        w, array = torch.ones(3, requires_grad=True), numpy.ones(3, dtype="float32")
        c = torch.from_numpy(array)
        loss = (w * c).sum()
        array[0] = 5
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 4, "modified": 5, "needed": 6}


def test_array_refilled_between_steps_is_not_told(traced: Run) -> None:
    run = traced(
        """
        import numpy, torch
        w, array = torch.ones(3, requires_grad=True), numpy.ones(3, dtype="float32")
        c = torch.from_numpy(array)
        for step in range(3):
            array[:] = step
            (w * c).sum().backward()
        """
    )
    assert run.tracer.faults == []


def test_fused_optimizer_between_forward_and_backward(traced: Run) -> None:
    run = traced(
        """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.AdamW(net.parameters(), fused=True)
        net(torch.ones(1, 2)).sum().backward()
        loss = net(torch.ones(1, 2)).sum()
        opt.step()
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 5, "modified": 6, "needed": 7}


def test_running_statistics_of_batch_norm_are_not_told(traced: Run) -> None:
    run = traced(
        """
        import torch
        norm = torch.nn.BatchNorm1d(3)
        first, second = norm(torch.randn(4, 3)), norm(torch.randn(4, 3))
        norm.running_mean.data.zero_()
        (first + second).sum().backward()
        """
    )
    assert run.tracer.faults == []

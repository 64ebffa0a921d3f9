"""Writes to memory of a GPU that no version counter sees, and mistakes that raise nothing."""

from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.findings import findings_of
from tests.live.cuda.programs import on_gpu
from tests.live.pitfalls.test_pitfalls import PROGRAMS, START
from tests.live.programs import Run, Traced

HEAD = """
import torch
x = torch.zeros(3, device="cuda", requires_grad=True)
h = torch.sigmoid(x)
"""
TAIL = "\nh.sum().backward()\n"

WRITES = {
    ".data": "h.data.add_(1)",
    "storage": "h.untyped_storage().fill_(0)",
    "set_": "u = torch.empty(0, device='cuda').set_(h.detach()); u.add_(1)",
    "unsafe_chunk": "torch.unsafe_chunk(h.detach(), 3)[0].zero_()",
    "dlpack": "torch.from_dlpack(h.detach()).add_(1)",
}
HARMLESS = {
    "same values": "h.data.clamp_(0, 1)",
    "written and restored": "h.data.add_(0.5); h.data.sub_(0.5)",
    "another tensor": "torch.zeros(3, device='cuda').data.add_(1)",
    "a copy on the CPU": "h.detach().cpu().numpy()[...] += 1",
}
ON_A_SIDE_STREAM = """
import torch
side = torch.cuda.Stream()
x = torch.zeros(4096, device="cuda", requires_grad=True)
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    torch.cuda._sleep(200_000_000)
    h = x.sigmoid()
    h.data.add_(1)
    {then}
    loss = h.sum()
loss.backward()
"""
# To look at what a gradient or a new tensor holds means to wait for the device: that is not done.
UNSEEN = ("a square root at zero", "a loss rebuilt of a number")


@pytest.mark.parametrize("name", WRITES)
def test_hidden_write_is_told(name: str, traced: Run) -> None:
    run = traced(HEAD + WRITES[name] + TAIL)
    assert run.error is None
    assert run.fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    assert run.rows() == {"saved": 3, "modified": 4, "needed": 5}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_write_is_not_told(name: str, traced: Run) -> None:
    assert traced(HEAD + HARMLESS[name] + TAIL).tracer.faults == []


def test_hidden_write_on_another_stream_is_told(traced: Run) -> None:
    run = traced(ON_A_SIDE_STREAM.format(then="pass"))
    assert run.rows() == {"saved": 7, "modified": 8, "needed": 11}


def test_write_that_another_stream_has_yet_to_take_back_is_not_told(traced: Run) -> None:
    restored = "torch.cuda._sleep(200_000_000); h.data.sub_(1)"
    assert traced(ON_A_SIDE_STREAM.format(then=restored)).tracer.faults == []


def pitfalls(source: str, folder: Path) -> list[str]:
    program = on_gpu(START + dedent(source)).replace('GradScaler("cpu")', 'GradScaler("cuda")')
    return [one.name for one in findings_of(Traced(program, folder, ended=True).tracer.faults)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_wrong_is_told(name: str, tmp_path: Path) -> None:
    rule, bad, _ = PROGRAMS[name]
    assert (rule in pitfalls(bad, tmp_path)) == (name not in UNSEEN)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_corrected_twin_is_quiet(name: str, tmp_path: Path) -> None:
    assert pitfalls(PROGRAMS[name][2], tmp_path) == []

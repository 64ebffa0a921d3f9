"""What Python refuses in the backward of a custom Function."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

WAITING = """
import torch
from gathering import gathered

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        {taken}
        {used}
        return grad, None
"""
GATHERING = """
def gathered(x, group):
    depth = group.depth
    if depth == 1:
        out, work = x, None
    else:
        out = x.contiguous()
        work = group.gather(out)
    return out, work
"""


@pytest.mark.parametrize("used", ["work.wait()", "grad = grad * work", "grad = work[0]"])
@pytest.mark.parametrize(
    ("taken", "found"), [("grad, work = gathered(grad, ctx.group)", 0), ("work = None", 1)]
)
def test_what_a_call_returns_on_some_paths_is_none_of_autograds_business(
    tmp_path: Path, taken: str, used: str, found: int
) -> None:
    write_tree(tmp_path, {"gathering.py": GATHERING})
    source = Source(str(tmp_path / "main.py"), WAITING.format(taken=taken, used=used))
    faults = analyse(source, Project([tmp_path]))
    assert sum(fault.weight <= 1 for fault in faults) == found


LIKE = """
import torch

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad * 2, torch.zeros_like({like})

F.apply(torch.ones(2, requires_grad=True), None).sum().backward()
"""


@pytest.mark.parametrize(("like", "row"), [("weight", 12), ("x", None)])
def test_nothing_is_like_nothing(like: str, row: int | None) -> None:
    text = LIKE.format(like=like)
    if row is not None:
        with pytest.raises(TypeError, match="must be Tensor, not NoneType"):
            exec(text, {})
    found = [f for f in analyse(Source("a.py", text)) if f.place and f.place.row == row]
    assert [fault.kind.value for fault in found] == ["custom-function"] * len(found)
    assert bool(found) is (row is not None)


BY_HAND = """
import torch

class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, grad):
        return {moved}.to("cpu")

class Portal:
    def __init__(self):
        self.grad = None
    def back(self, ctx):
        return Copy.backward(ctx, self.grad)

def run(x):
    return Copy.apply(x).sum()
"""


@pytest.mark.parametrize(("moved", "found"), [("grad", 0), ("None", 1)])
def test_what_a_program_hands_backward_by_its_name_is_its_own_business(
    moved: str, found: int
) -> None:
    assert len(analyse(Source("main.py", BY_HAND.format(moved=moved)))) == found


FROM_FORWARD = """
import torch

def gathered(fields, wanted):
    found = dict(fields)
    return found if wanted else None

class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, wanted):
        ctx.fields = {given}
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.fields.get("scale"), None
"""


@pytest.mark.parametrize(
    ("given", "daring"), [("gathered(x.fields(), wanted)", True), ("None", False)]
)
def test_that_forward_was_returned_none_on_one_of_several_paths_is_daring(
    given: str, daring: bool
) -> None:
    (fault,) = analyse(Source("main.py", FROM_FORWARD.format(given=given)))
    assert any(why.kind is Kind.IS_NONE for why in fault.assumptions) is daring

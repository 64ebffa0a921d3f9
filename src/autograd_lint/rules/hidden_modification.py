"""AG106: a saved tensor is overwritten without its version counter, so that nothing raises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.mending import keep_saved
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class HiddenModification(Rule):
    """A saved tensor is overwritten unnoticed: the gradient is silently wrong.

    ## What it does

    Finds writes to a tensor saved for backward that autograd cannot see: through `.data`, through a
    NumPy array that shares the memory, by an optimizer with `fused=True`, or by a batch
    normalization that runs in training mode after it ran in evaluation mode and overwrites the
    statistics that its earlier backward needs.

    ## Why it is bad

    Backward computes with the new values. Since the version counter does not see the write, PyTorch
    raises no error: the gradient is wrong and training continues.

    ## Example

    ```python
    import torch

    w = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    loss = (w * x).sum()
    x.data.zero_()
    loss.backward()
    assert w.grad.eq(2).all()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    loss = (w * x).sum()
    loss.backward()
    x.zero_()
    assert w.grad.eq(2).all()
    ```

    ## Fix safety

    The fix to save a `.clone()` is unsafe: the gradient changes.

    ## References

    - [Autograd mechanics: in-place correctness checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)
    """

    code = "AG106"
    name = "hidden-modification"
    kinds = frozenset({FaultKind.SAVED_TENSOR_MODIFIED})

    def answers(self, fault: Fault) -> bool:
        return super().answers(fault) and is_hidden(fault)

    def primary(self, fault: Fault) -> Place | None:
        return first_place(fault) or fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        saver = spoken(fault.saved.operator if fault.saved else "")
        told = self.tell(
            fault,
            place,
            message=f"{quoted(fault.tensor)} is overwritten after {saver} saved it for backward: "
            "the gradient is silently wrong",
            label="overwritten here, not seen by the version counter",
            role="modified",
            reason="the version counter does not see this write, so backward raises no error and "
            "uses the new values",
            help=_help(fault),
            related=(
                wording.saved(fault.saved, fault.modified),
                wording.needed(fault.needed, f"{wording.call(fault)} uses the new values here"),
            ),
            fix=None if _is_step(fault) else keep_saved(fault, chunk),
        )
        return replace(told, predicts=None)


def _help(fault: Fault) -> str:
    if _is_step(fault):
        return "call every backward that needs this graph before `step()`"
    return "write after backward, or write to a `.clone()`"


def _is_step(fault: Fault) -> bool:
    return fault.modified is not None and fault.modified.by_optimizer


def is_hidden(fault: Fault) -> bool:
    """Whether the write escapes the engine; `detach_()` writes nothing, but backward notices it."""
    event = fault.modified
    return event is not None and not event.bumped and event.operator != "detach_"

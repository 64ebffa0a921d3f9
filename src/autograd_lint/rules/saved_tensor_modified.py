"""AG103: a tensor is modified in place after an operator saved it for backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.hidden_modification import is_hidden
from autograd_lint.rules.mending import keep_saved, out_of_place, unsafe_fix, write_of, written
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk, Write


class SavedTensorModified(Rule):
    """A tensor is modified in place after an operator saved it for backward.

    ## What it does

    Finds in-place writes between the operator that saves a tensor (`sigmoid` saves its result, `x *
    w` saves both factors, indexing saves the index) and the backward that needs it. What each
    operator saves was measured on PyTorch itself.

    ## Why it is bad

    Backward computes with the saved values. Every tensor has a version counter that in-place writes
    increment; backward compares it with the version at the time of saving and raises if they
    differ: "one of the variables needed for gradient computation has been modified by an inplace
    operation".

    ## Example

    ```python
    import torch

    x = torch.randn(3, requires_grad=True)
    h = torch.sigmoid(x)
    h += 1
    h.sum().backward()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.randn(3, requires_grad=True)
    h = torch.sigmoid(x)
    h = h + 1
    h.sum().backward()
    ```

    ## Fix safety

    The fix to the out-of-place operator is unsafe: other references to the same tensor no longer
    see the change. Where that is not possible, a `.clone()` is saved, which costs memory.

    ## References

    - [Autograd mechanics: in-place correctness checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)
    """

    code = "AG103"
    name = "saved-tensor-modified"
    kinds = frozenset({FaultKind.SAVED_TENSOR_MODIFIED})

    def answers(self, fault: Fault) -> bool:
        by_optimizer = fault.modified is not None and fault.modified.by_optimizer
        return super().answers(fault) and not by_optimizer and not is_hidden(fault)

    def primary(self, fault: Fault) -> Place | None:
        return first_place(fault) or fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        write = write_of(fault, place, chunk)
        return self.tell(
            fault,
            write.place if write else place,
            message=_message(fault),
            label=f"{_done(fault)} in place here{wording.writer(fault.modified)}"
            f"{wording.versions(fault.saved, fault.modified)}",
            role="modified",
            reason=f"{wording.needing(fault)} needs the values as they were when they were saved",
            help=out_of_place(write, fault.tensor),
            related=(
                wording.saved(fault.saved, fault.modified),
                wording.needed(
                    fault.needed, f"{wording.call(fault)} needs it here{wording.later(fault)}"
                ),
            ),
            fix=_fix(fault, write, chunk),
        )


def _fix(fault: Fault, write: Write | None, chunk: Chunk) -> Fix | None:
    """A write without grad is an update of this very tensor: a new one would not do."""
    if write is not None and chunk.lines.is_under(write.place, "no_grad"):
        return keep_saved(fault, chunk)
    return unsafe_fix(write, chunk, written(fault)) or keep_saved(fault, chunk)


def _message(fault: Fault) -> str:
    """Names the saved tensor, and the one that was written where that is another name for it."""
    saver = spoken(fault.saved.operator if fault.saved else "")
    kept = (fault.saved.tensor if fault.saved else None) or fault.tensor
    written = fault.modified.tensor if fault.modified else None
    if kept and written and kept != written:
        return f"writing to `{written}` changes `{kept}` after {saver} saved it for backward"
    tensor = quoted(kept or written)
    return f"{tensor} is {_done(fault)} in place after {saver} saved it for backward"


def _done(fault: Fault) -> str:
    """`detach_()` writes no value, but backward misses the graph that the tensor was saved with."""
    is_detach = fault.modified is not None and fault.modified.operator == "detach_"
    return "detached" if is_detach else "modified"

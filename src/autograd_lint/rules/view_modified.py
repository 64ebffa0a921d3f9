"""AG104: a view that autograd cannot follow is modified in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.mending import how, out_of_place, unsafe_fix, write_of, written
from autograd_lint.rules.wording import built, quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

# How the view was made (the engine's `CreationMeta`) -> why it cannot be written.
_REASONS = {
    "multi-output": "it is one of several views that one operator made, and autograd cannot"
    " follow a write to one of them; indexing (`x[:, :n]`) makes views that may be written",
    "no_grad": "a view that was made under `no_grad()` has no graph that could follow the write",
    "inference": "a view that was made under `inference_mode()` has no graph that could follow the"
    " write",
    "custom function": "it is a view that a custom `autograd.Function` or a full backward hook"
    " returned: the write would replace the backward that was written for it",
}
_REASON = "autograd cannot follow a write through this view"


class ViewModified(Rule):
    """A view that autograd cannot track is modified in place.

    ## What it does

    Finds in-place writes to views that autograd cannot track: one of the views that `chunk`,
    `split`, `unbind` or iteration over a tensor return; a view created under `no_grad()` or
    `inference_mode()` and modified with grad mode on; a view returned by a custom
    `autograd.Function` (or by a module with a full backward hook).

    ## Why it is bad

    After a write through a view, autograd has to rewrite the graph of the base. For these views it
    cannot, and PyTorch raises at the write or at the next use of the view: "Output 0 of Split is a
    view and is being modified inplace", or "A view was created in no_grad mode and is being
    modified inplace with grad mode enabled".

    ## Example

    ```python
    import torch

    x = torch.randn(4, 2, requires_grad=True) * 2
    first, second = x.chunk(2)
    first += 1
    ```

    ## Use instead

    ```python
    import torch

    x = torch.randn(4, 2, requires_grad=True) * 2
    first, second = x.chunk(2)
    first = first + 1
    ```

    ## Fix safety

    The fix to the out-of-place operator is unsafe: the base no longer sees the change.

    ## References

    - [Tensor views](https://docs.pytorch.org/docs/stable/tensor_view.html)
    """

    code = "AG104"
    name = "view-modified"
    kinds = frozenset({FaultKind.VIEW_MODIFIED})

    def primary(self, fault: Fault) -> Place | None:
        return first_place(fault) if fault.modified else fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        write = write_of(fault, place, chunk)
        view = quoted(fault.tensor or (write.target if write else None), "what is written here")
        maker = f" made by {spoken(fault.built.operator)}" if fault.built else ""
        return self.tell(
            fault,
            write.place if write else place,
            message=f"{view} is a view{maker}, and must not be modified in place",
            label=how(write, fault.operator),
            role="modified",
            reason=_REASONS.get(fault.detail, fault.detail or _REASON),
            help=out_of_place(write, fault.tensor),
            related=(built(fault.built, "the view is created here"), _used_next(fault, place)),
            fix=unsafe_fix(write, chunk, written(fault)),
        )


def _used_next(fault: Fault, place: Place) -> Related | None:
    """Where the view is refused, when that is not where it was written."""
    if fault.place is None or fault.place == place:
        return None
    return Related("needed", "the error is raised here, where the view is used next", fault.place)

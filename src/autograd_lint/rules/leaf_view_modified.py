"""AG102: a view of a leaf that requires grad is modified in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.mending import how, out_of_place, update_fix, write_of, written
from autograd_lint.rules.wording import built, quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class LeafViewModified(Rule):
    """A view of a leaf that requires grad is modified in place.

    ## What it does

    Finds in-place writes through a view (a slice, `.view()`, `.T`, ...) of a leaf: a tensor that
    requires grad and was created by the program. `w[0] = 1` is such a write.

    ## Why it is bad

    A view shares the memory of its base, so the write would change the leaf itself. PyTorch raises
    at the write: "a view of a leaf Variable that requires grad is being used in an in-place
    operation".

    ## Example

    ```python
    import torch

    w = torch.randn(3, 3, requires_grad=True)
    w[0] = 1.0
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, 3, requires_grad=True)
    with torch.no_grad():  # an update or an initialisation: not part of the graph
        w[0] = 1.0
    h = w.clone()  # a computation: into a copy
    h[0] = 1.0
    ```

    ## Fix safety

    The fix to write under `torch.no_grad()` is unsafe: it assumes that the write is an update,
    which is not part of the graph. If the written value needs a gradient, the write is part of the
    computation.

    ## References

    - [Autograd mechanics: in-place operations](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)
    - [Tensor views](https://docs.pytorch.org/docs/stable/tensor_view.html)
    """

    code = "AG102"
    name = "leaf-view-modified"
    kinds = frozenset({FaultKind.LEAF_VIEW_MODIFIED})

    def primary(self, fault: Fault) -> Place | None:
        return first_place(fault) if fault.modified else fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        write = write_of(fault, place, chunk)
        view = quoted((write and write.target) or fault.tensor, "this")
        return self.tell(
            fault,
            write.place if write else place,
            message=f"{view} is a view of a leaf that requires grad, and is modified in place",
            label=how(write, fault.operator),
            role="modified",
            reason="a view shares the memory of its base: the write would change the leaf itself",
            help="if this sets or updates the value, do it under `with torch.no_grad():`; "
            f"if it is part of the computation, {out_of_place(write, fault.tensor)}",
            fix=update_fix(write, chunk, written(fault)),
            related=(built(fault.built, "the view is created here"),),
        )

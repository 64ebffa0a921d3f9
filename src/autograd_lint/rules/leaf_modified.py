"""AG101: a leaf that requires grad is modified in place while gradients are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.mending import how, out_of_place, update_fix, write_of, written
from autograd_lint.rules.wording import quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class LeafModified(Rule):
    """A leaf that requires grad is modified in place while gradients are recorded.

    ## What it does

    Finds in-place writes (`w += 1`, `w.zero_()`, `w[mask] = 0`) to a leaf: a tensor that requires
    grad and was created by the program, not computed from others. Parameters of modules are leaves.

    ## Why it is bad

    The gradient of a leaf belongs to its value when the graph was built; the write would overwrite
    that value and make the leaf a non-leaf. PyTorch raises at the write: "a leaf Variable that
    requires grad is being used in an in-place operation".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    w += 1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    with torch.no_grad():  # an update or an initialisation: not part of the graph
        w += 1
    h = w + 1  # a computation: a new tensor
    ```

    ## Fix safety

    The fix to write under `torch.no_grad()` is unsafe: it assumes that the write is an update,
    which is not part of the graph. If the written value needs a gradient, the write is part of the
    computation.

    ## References

    - [Autograd mechanics: in-place operations](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)
    """

    code = "AG101"
    name = "leaf-modified"
    kinds = frozenset({FaultKind.LEAF_MODIFIED})

    def primary(self, fault: Fault) -> Place | None:
        return first_place(fault) if fault.modified else fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        write = write_of(fault, place, chunk)
        leaf = quoted(fault.tensor, "what is written here")
        return self.tell(
            fault,
            write.place if write else place,
            message=f"{leaf} is a leaf that requires grad, and is modified in place",
            label=how(write, fault.operator),
            role="modified",
            reason="autograd does not allow in-place writes to a leaf while it records gradients",
            help="if this sets or updates the value, do it under `with torch.no_grad():`; "
            f"if it is part of the computation, {out_of_place(write, fault.tensor)}",
            fix=update_fix(write, chunk, written(fault)),
        )

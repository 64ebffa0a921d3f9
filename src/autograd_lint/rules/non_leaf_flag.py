"""AG306: `requires_grad` is set on a tensor that is not a leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NonLeafFlag(Rule):
    """`requires_grad` is set on a tensor that is not a leaf.

    ## What it does

    Finds `y.requires_grad = False` and `y.requires_grad_(False)` where `y` is the result of an
    operator, and `y.requires_grad = True`, which raises as well (`y.requires_grad_()` is accepted,
    but changes nothing).

    ## Why it is bad

    Whether a result requires grad follows from what it was computed from and cannot be changed
    later. PyTorch raises: "you can only change requires_grad flags of leaf variables".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    y = w * 2
    y.requires_grad = False
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    y = w * 2
    y = y.detach()
    ```

    ## Fix safety

    The fix to `y = y.detach()` is unsafe: other references to the tensor stay in the graph.

    ## References

    - [torch.Tensor.requires_grad_](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html)
    """

    code = "AG306"
    name = "non-leaf-flag"
    kinds = frozenset({FaultKind.NON_LEAF_FLAG})

    def primary(self, fault: Fault) -> Place | None:
        return fault.handed or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        built = fault.built
        owner = chunk.owner_at(place, "requires_grad") or chunk.owner_at(place, "requires_grad_")
        name = owner or fault.tensor or "y"
        return self.tell(
            fault,
            place,
            message=f"`requires_grad` of {quoted(owner or fault.tensor)} cannot be changed: "
            "it is not a leaf",
            label="passed here" if fault.handed else "not a leaf",
            reason="a result requires grad whenever one of its inputs does",
            help=f"detach it instead: `{name} = {name}.detach()`",
            related=(wording.made(built), wording.inside(fault)),
            fix=None if fault.handed else unsafe("Detach it", chunk.mends.detach_for_flag(place)),
        )

"""AG303: an optimizer is given a tensor that is not a leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NonLeafOptimizer(Rule):
    """An optimizer is given a tensor that is not a leaf.

    ## What it does

    Finds optimizers that are constructed over the result of an operator, such as
    `torch.randn(3, requires_grad=True) * 0.1` or `nn.Parameter(w).to(device)`.

    ## Why it is bad

    Gradients are collected in leaves only: the result of an operator has no `.grad`, and is
    computed anew from its leaf. PyTorch raises: "can't optimize a non-leaf Tensor".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True) * 0.1
    opt = torch.optim.SGD([w], lr=0.1)
    ```

    ## Use instead

    ```python
    import torch

    w = (torch.randn(3) * 0.1).requires_grad_()
    opt = torch.optim.SGD([w], lr=0.1)
    ```

    ## Fix safety

    The fix to `requires_grad_()` where the tensor is made is unsafe: no gradient flows to what it
    was made of.

    ## References

    - [torch.Tensor.is_leaf](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)
    """

    code = "AG303"
    name = "non-leaf-optimizer"
    kinds = frozenset({FaultKind.NON_LEAF_OPTIMIZER})

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        tensor, built = quoted(fault.tensor), fault.built
        maker = (built.operator if built else "") or fault.operator
        by = f": it is the result of {spoken(maker)}" if maker else ""
        return self.tell(
            fault,
            place,
            message=f"the optimizer is given {tensor}, which is not a leaf{by}",
            label="not a leaf",
            reason="gradients are collected in leaves only, and only they can be optimized",
            help="compute the value first and make it a leaf last: `.detach().requires_grad_()` or "
            "`nn.Parameter(...)`",
            related=(wording.made(built),),
            fix=_made_leaf(built.place if built else None, chunk),
        )


def _made_leaf(place: Place | None, chunk: Chunk) -> Fix | None:
    if place is None:
        return None
    return unsafe("Make a leaf of it", chunk.around(place).mends.make_leaf(place))

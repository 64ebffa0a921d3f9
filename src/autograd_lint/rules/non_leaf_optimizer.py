"""AG303: an optimizer is given a tensor that is not a leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Fix, Related
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

# What makes a copy of the same values elsewhere, or of another kind.
CONVERSIONS = {"to", "cuda", "cpu", "type", "float", "double", "half", "bfloat16"}


class NonLeafOptimizer(Rule):
    """An optimizer is given a tensor that is not a leaf.

    ## What it does

    Finds optimizers that are constructed over the result of an operator, such as
    `torch.randn(3, requires_grad=True) * 0.1` or `nn.Parameter(w).to(device)`.

    ## Why it is bad

    Only leaves accumulate gradients: the result of an operator has no `.grad`, and is recomputed
    from its leaf. PyTorch raises: "can't optimize a non-leaf Tensor".

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

    The fix to call `requires_grad_()` where the tensor is created is unsafe: no gradient flows to
    what it was computed from.

    ## References

    - [torch.Tensor.is_leaf](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)
    """

    code = "AG303"
    name = "non-leaf-optimizer"
    kinds = frozenset({FaultKind.NON_LEAF_OPTIMIZER})

    def primary(self, fault: Fault) -> Place | None:
        return _made_too_early(fault) or fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        tensor, built = quoted(fault.tensor), fault.built
        maker = (built.operator if built else "") or fault.operator
        by = f": it is the result of {spoken(maker)}" if maker else ""
        early = _made_too_early(fault) is not None
        return self.tell(
            fault,
            place,
            message=f"the optimizer is given {tensor}, which is not a leaf{by}",
            label=f"made a leaf here, before {spoken(maker)}" if early else "not a leaf",
            reason="only leaf tensors keep `.grad`, so only they can be optimized",
            help="compute the value first and make it a leaf last: `.detach().requires_grad_()` or "
            "`nn.Parameter(...)`",
            related=(wording.made(built), _given_here(fault) if early else None),
            fix=_made_leaf(built.place if built else None, chunk),
        )


def _made_too_early(fault: Fault) -> Place | None:
    """Where the leaf was made of which the optimizer is given a converted copy: that is to change.

    Of what is computed from a leaf nobody knows whether it, or the leaf, was meant.
    """
    operator = fault.built.operator if fault.built else ""
    if operator.rpartition(".")[2] not in CONVERSIONS or not fault.noted or fault.place is None:
        return None
    leaf = fault.noted[0].place
    return leaf if leaf is not None and leaf.filename == fault.place.filename else None


def _given_here(fault: Fault) -> Related | None:
    return Related("needed", "given to the optimizer here", fault.place) if fault.place else None


def _made_leaf(place: Place | None, chunk: Chunk) -> Fix | None:
    if place is None:
        return None
    return unsafe("Make it a leaf", chunk.around(place).mends.make_leaf(place))

"""AG309: backward reaches an operator that has no derivative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.forbidden_inplace import is_write
from autograd_lint.rules.wording import spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NotDifferentiable(Rule):
    """Backward reaches an operator that has no derivative.

    ## What it does

    Finds operators whose result requires grad although PyTorch has no derivative for them, such as
    `//`, between the root of a backward and its leaves; and operators without a second derivative,
    such as `ctc_loss`, where a gradient computed with `create_graph=True` is differentiated.

    ## Why it is bad

    The forward runs; backward raises when it reaches the operator: "derivative for
    aten::floor_divide is not implemented".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    loss = (w // 2).sum()
    loss.backward()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    loss = (w / 2).sum()
    loss.backward()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Autograd mechanics: gradients for non-differentiable functions](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)
    """

    code = "AG309"
    name = "not-differentiable"
    kinds = frozenset({FaultKind.OTHER})

    def answers(self, fault: Fault) -> bool:
        return super().answers(fault) and is_on_the_way(fault)

    def primary(self, fault: Fault) -> Place | None:
        return (fault.built and fault.built.place) or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        at_operator = fault.built is not None and fault.built.place is not None
        return self.tell(
            fault,
            place,
            message=f"{_subject(fault)} has no derivative, but backward needs one",
            label="no derivative",
            role="built" if at_operator else "needed",
            reason=fault.detail,
            help="use a differentiable operator, or `detach()` where no gradient should flow",
            related=(
                wording.needed(fault.needed, f"{wording.call(fault)} needs its derivative here")
                if at_operator
                else None,
            ),
        )


def _subject(fault: Fault) -> str:
    """What has no derivative: the operator, or only its gradient."""
    operator = spoken(fault.operator)
    again = f"'{fault.operator}_backward'" in fault.detail
    return f"the gradient of {operator}" if again else operator


def is_on_the_way(fault: Fault) -> bool:
    """Whether a backward came upon an operator that refuses, rather than a call being refused."""
    known = fault.operator != "" or fault.detail.startswith("derivative for")
    return known and not is_write(fault) and fault.needed is not None

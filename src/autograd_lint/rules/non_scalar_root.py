"""AG302: backward starts at a tensor of several elements, without a gradient for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import COMPLEX
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.wording import quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NonScalarRoot(Rule):
    """Backward starts at a tensor with several elements, without a gradient for it.

    ## What it does

    Finds `y.backward()` and `torch.autograd.grad(y, ...)` where `y` has more than one element and
    no gradient of `y` is given.

    ## Why it is bad

    Only a scalar has an obvious gradient to start from, which is 1. PyTorch raises: "grad can be
    implicitly created only for scalar outputs".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    y = w * 2
    y.backward()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    y = w * 2
    y.sum().backward()
    ```

    ## Fix safety

    There is no automatic fix: sum, mean and a gradient of your own give different results.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG302"
    name = "non-scalar-root"
    kinds = frozenset({FaultKind.NON_SCALAR_ROOT})

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        root, name = quoted(fault.tensor, "the root of backward"), fault.tensor or "y"
        built = fault.built
        return self.tell(
            fault,
            place,
            message=_message(fault, root),
            label="complex" if fault.detail == COMPLEX else "not a scalar",
            role="needed",
            reason="backward starts from a gradient of 1, which is only implied for a real scalar",
            help=_help(fault, name),
            related=(wording.made(built),),
        )


def _message(fault: Fault, root: str) -> str:
    if fault.detail == COMPLEX:
        return f"{root} is complex; {wording.needing(fault)} needs a real scalar"
    return f"{root} has more than one element; {wording.needing(fault)} needs a scalar"


def _help(fault: Fault, name: str) -> str:
    if fault.detail == COMPLEX:
        return f"make a real number of it first (`{name}.abs().sum()`, `{name}.real.sum()`)"
    return (
        f"reduce it first (`{name}.mean()`, `{name}.sum()`), or pass the gradient to start from, "
        f"such as `torch.ones_like({name})`"
    )

"""AG601: a custom `autograd.Function` breaks what PyTorch asks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.wording import quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class CustomFunction(Rule):
    """A custom `autograd.Function` breaks what PyTorch asks of it.

    ## What it does

    Finds subclasses of `torch.autograd.Function` that raise when they are used, such as a
    `backward` that does not return one gradient for each argument of `forward`.

    ## Why it is bad

    PyTorch raises when the function is applied or in backward, for instance: "function
    DoubleBackward returned an incorrect number of gradients (expected 2, got 1)".

    ## Example

    ```python
    import torch


    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor


    w = torch.randn(3, requires_grad=True)
    Scale.apply(w, 2.0).sum().backward()
    ```

    ## Use instead

    ```python
    import torch


    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None


    w = torch.randn(3, requires_grad=True)
    Scale.apply(w, 2.0).sum().backward()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending PyTorch](https://docs.pytorch.org/docs/stable/notes/extending.html)
    """

    code = "AG601"
    name = "custom-function"
    kinds = frozenset({FaultKind.CUSTOM_FUNCTION})

    def primary(self, fault: Fault) -> Place | None:
        return (fault.built and fault.built.place) or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        function = quoted(fault.operator or fault.tensor, "this")
        elsewhere = fault.needed is not None and fault.needed.place != place
        return self.tell(
            fault,
            place,
            message=f"{function} breaks what autograd asks of a custom Function",
            label="not as autograd expects it",
            role="built",
            reason=fault.detail,
            help="return one gradient for each argument of `forward` after `ctx`, None for those "
            "without one",
            related=(wording.needed(fault.needed, "it raises here") if elsewhere else None,),
        )

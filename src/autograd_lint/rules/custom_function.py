"""AG601: a custom `autograd.Function` breaks what PyTorch asks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule
from autograd_lint.rules.wording import call, quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


_ARITY = "autograd hands what `backward` returns to the arguments of `forward`, one by one"


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
        return self.tell(
            fault,
            place,
            message=_message(fault),
            label="not as autograd expects it",
            role="built",
            reason=_ARITY if fault.detail.startswith("returned") else fault.detail,
            help="return one gradient for each argument of `forward` after `ctx`, None for those "
            "without one",
            related=(_raised(fault, place),),
        )


def _message(fault: Fault) -> str:
    function = quoted(fault.operator or fault.tensor, "this")
    if fault.detail.startswith("returned"):
        return f"`backward` of {function} {fault.detail}"
    return f"{function} breaks what autograd asks of a custom Function"


def _raised(fault: Fault, place: Place) -> Related | None:
    if fault.place is None or fault.place == place:
        return None
    return Related("needed", f"{call(fault)} raises here", fault.place)

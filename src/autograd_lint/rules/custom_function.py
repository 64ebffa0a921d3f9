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


# A part of what is wrong -> what to do instead.
_HELP = {
    "a view was marked": "return only the modified tensor",
    "an input that is returned": "return a view of it (`x.view_as(x)`), or do not save it",
    "marked as dirty was returned": "return every tensor marked dirty, and mark no buffers",
    "mark_dirty": "mark the inputs that `forward` modifies and returns",
    "can only take tensors": "store other values as attributes (`ctx.factor = factor`)",
    "has no attribute": "set it in `forward`; saved tensors are in `ctx.saved_tensors`",
    "saved tensors to unpack": "save all of them in one call of `save_for_backward`",
    "backward()": "take `ctx` and one gradient per output of `forward`",
    "forward()": "take `ctx` (unless there is `setup_context`) and the arguments of `apply`",
    "setup_context": "separate `forward(*inputs)` from `setup_context(ctx, inputs, output)`",
    "generate_vmap_rule": "set `generate_vmap_rule = True` in the class",
    "jvp": "add a static method `jvp(ctx, *tangents)`",
    "vjp": "define only one of the two",
    "non-static": "call the class method `apply`",
}
_HELP_ELSE = (
    "return one gradient for each argument of `forward` after `ctx`, and"
    " None for those that need none"
)
_ARITY = "`backward` returns one gradient per argument of `forward`, in the same order"


class CustomFunction(Rule):
    """A custom `autograd.Function` violates the rules for its methods.

    ## What it does

    Finds subclasses of `torch.autograd.Function` that raise when they are used, for example because
    `backward` does not return one gradient per argument of `forward`.

    ## Why it is bad

    PyTorch raises when the function is applied or in backward, for example: "function
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
            label="not what autograd expects",
            role="built",
            reason=_ARITY if fault.detail.startswith("returned") else fault.detail,
            help=next((help for part, help in _HELP.items() if part in fault.detail), _HELP_ELSE),
            related=(_raised(fault, place),),
        )


def _message(fault: Fault) -> str:
    function = quoted(fault.operator or fault.tensor, "this")
    if fault.detail.startswith("returned"):
        return f"`backward` of {function} {fault.detail}"
    return f"{function} does not follow the rules for a custom `autograd.Function`"


def _raised(fault: Fault, place: Place) -> Related | None:
    if fault.place is None or fault.place == place:
        return None
    return Related("needed", f"{call(fault)} raises here", fault.place)

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


_ONE_EACH = (
    "return one gradient for each argument of `forward` after `ctx`, and None for those that need"
    " none"
)
# A part of what is wrong -> what to do instead; the first that fits counts.
_HELP = {
    "a view was marked": "return only the modified tensor",
    "is a view of another Tensor": "return only the modified tensor, or write to a copy",
    "an input that is returned": "return a view of it (`x.view_as(x)`), or do not save it",
    "returned as-is": "return a view of it (`x.view_as(x)`), or do not save it",
    "marked as dirty was returned": "return every tensor marked dirty, and mark no buffers",
    "marked as dirty": "return every tensor that is marked dirty",
    "mark_dirty": "mark the inputs that `forward` modifies and returns",
    "mark_non_differentiable": "pass results of `forward` to `mark_non_differentiable`",
    "can only take tensors": "store other values as attributes (`ctx.factor = factor`)",
    "can only save variables": "store other values as attributes (`ctx.factor = factor`)",
    "has no attribute": "set it in `forward`; saved tensors are in `ctx.saved_tensors`",
    "values to unpack": "save all of them in one call of `save_for_backward`",
    "saved tensors to unpack": "save all of them in one call of `save_for_backward`",
    "accessed once": "read `ctx.saved_tensors` once, and keep what it returns",
    "Implementing both": "define only one of the two",
    "either the backward": "add a static method `backward(ctx, *gradients)`",
    "the forward function": "add a static method `forward`",
    "should not be instantiated": "call the class method `apply`",
    "non-static": "call the class method `apply`",
    "once_differentiable": "remove `@once_differentiable`, and compute `backward` by what "
    "has a derivative",
    "backward()": "take `ctx` and one gradient per output of `forward`",
    "forward()": "take `ctx` (unless there is `setup_context`) and the arguments of `apply`",
    "setup_context": "separate `forward(*inputs)` from `setup_context(ctx, inputs, output)`",
    "generate_vmap_rule": "set `generate_vmap_rule = True` in the class",
    "number of forward gradients": "return one tangent for each output of `forward`",
    "jvp is not returning a view": "return a view of the tangent from `jvp`",
    "forward mode gradients inplace": "modify the tangent in place in `jvp`, and return it",
    "jvp": "add a static method `jvp(ctx, *tangents)`",
    "vjp": "define only one of the two",
    "'NoneType' and": "look for None: no gradient arrives for an output that is not used",
    "expected shape compatible": "return a gradient of the shape of the input: sum over the "
    "dimensions in which that was expanded",
    "gradient": _ONE_EACH,
    "Variable or None": _ONE_EACH,
    "returned": _ONE_EACH,
}
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
            help=next((help for part, help in _HELP.items() if part in fault.detail), ""),
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

"""AG604: a custom Function's `backward` cuts the graph that a second derivative needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class CutInBackward(SilentRule):
    """A custom Function's `backward` cuts the graph that a second derivative needs.

    ## What it does

    Finds `backward` methods that use `detach()`, `.data` or NumPy, or a value that `forward` has
    computed and that is neither an input nor an output, where the program differentiates the
    gradient again (`create_graph=True`). What is only compared has no derivative to lose.

    ## Why it is bad

    The second derivative is silently wrong. With `@once_differentiable` it would be an error
    instead.

    ## Example

    ```python
    import torch


    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x.detach() * grad


    x = torch.ones(1, requires_grad=True)
    (slope,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
    assert slope.requires_grad
    ```

    ## Use instead

    ```python
    import torch


    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad


    x = torch.ones(1, requires_grad=True)
    (slope,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
    assert slope.requires_grad
    ```

    ## Fix safety

    The fix removes `.detach()`, `.data` or `.item()`. It is unsafe: second derivatives change.

    ## References

    - [Double backward with custom Functions](https://docs.pytorch.org/tutorials/intermediate/custom_function_double_backward_tutorial.html)
    - [torch.autograd.function.once_differentiable](https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.once_differentiable.html)
    """

    code = "AG604"
    name = "cut-in-backward"
    kinds = frozenset({Pitfall.CUT_IN_BACKWARD})
    message = "{operator} cuts the second derivative of {tensor}"
    label = "the graph of the gradient ends here"
    reason = "`create_graph=True` records what `backward` computes, and this is not recorded"
    advice = (
        "compute with differentiable operators on `ctx.saved_tensors`, or decorate "
        "`backward` with `@once_differentiable`"
    )

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        edits = chunk.mends.drop_method(place, "detach", "data", "item")
        return unsafe("Keep it in the graph", edits)

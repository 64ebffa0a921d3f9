"""AG611: the `backward` of a custom Function is not the derivative of its `forward`."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class BackwardFormula(SilentRule):
    """The `backward` of a custom Function is not the derivative of its `forward`.

    ## What it does

    Finds `backward` methods that return other gradients than the derivatives of what `forward`
    computes: in the order of other inputs, or by a formula that lacks a factor. Both are computed
    for single numbers; a Function that uses operators for which that is not possible is left alone,
    and so is one that hands its gradient on unchanged, or its input. Only where `forward` does no
    more than multiply its one tensor by a number must the gradient not be handed on unchanged.
    `trace` has the engine differentiate the operators of the first calls, and compares that with
    what `backward` returns, up to a factor.

    ## Why it is bad

    Shapes agree, so no error is raised: the parameters behind it are trained with a wrong gradient.

    ## Example

    ```python
    import torch


    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x, scale)
            return x * scale

        @staticmethod
        def backward(ctx, grad):
            x, scale = ctx.saved_tensors
            return grad * x, grad * scale


    x = torch.tensor([2.0], requires_grad=True)
    scale = torch.tensor([3.0], requires_grad=True)
    Scale.apply(x, scale).sum().backward()
    assert x.grad == 3
    ```

    ## Use instead

    ```python
    import torch


    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x, scale)
            return x * scale

        @staticmethod
        def backward(ctx, grad):
            x, scale = ctx.saved_tensors
            return grad * scale, grad * x


    x = torch.tensor([2.0], requires_grad=True)
    scale = torch.tensor([3.0], requires_grad=True)
    Scale.apply(x, scale).sum().backward()
    assert x.grad == 3
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending torch.autograd](https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd)
    - [torch.autograd.gradcheck](https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html)
    """

    code = "AG611"
    name = "backward-formula"
    kinds = frozenset({Pitfall.WRONG_BACKWARD})
    message = "these gradients of {tensor} are not the derivatives of what its `forward` computes"
    label = "a wrong gradient"
    reason = "`backward` returns one gradient for each argument of `forward`, in the same order"
    advice = "compare it with `torch.autograd.gradcheck` in double precision"

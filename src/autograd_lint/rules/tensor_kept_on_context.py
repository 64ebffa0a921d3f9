"""AG602: a custom Function keeps an input or output as an attribute of `ctx`."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class TensorKeptOnContext(SilentRule):
    """A custom Function keeps an input or output as an attribute of `ctx`.

    ## What it does

    Finds `ctx.x = x` for inputs that require grad and for outputs of a custom Function.

    ## Why it is bad

    Only `save_for_backward` lets autograd check that the tensor is not modified in between; an
    output kept on `ctx` is a cycle that keeps memory.

    ## Example

    ```python
    import torch


    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.x * grad


    x = torch.ones(2, requires_grad=True)
    h = x * 1
    loss = Square.apply(h).sum()
    h.detach().mul_(10)
    loss.backward()
    assert x.grad.eq(2).all()
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


    x = torch.ones(2, requires_grad=True)
    loss = Square.apply(x * 1).sum()
    loss.backward()
    assert x.grad.eq(2).all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending PyTorch: torch.autograd.Function](https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd)
    """

    code = "AG602"
    name = "tensor-kept-on-context"
    kinds = frozenset({Pitfall.KEPT_ON_CONTEXT})
    message = "{tensor} is kept on `ctx` unseen by autograd"
    label = "not saved by `save_for_backward`"
    reason = "autograd checks and frees only what `save_for_backward` was given"
    advice = "write `ctx.save_for_backward(...)` and read `ctx.saved_tensors`"

"""AG606: a module defines a `backward` that autograd never runs."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class BackwardOfModule(SilentRule):
    """A module defines a `backward` that autograd never runs.

    ## What it does

    Finds classes derived from `nn.Module` with a `forward` and a `backward` that takes a
    gradient and returns one, in files in which nothing calls a `backward` with a gradient.

    ## Why it is bad

    Autograd differentiates what `forward` does; it only runs the `backward` of a
    `torch.autograd.Function`. A gradient reversal layer written as a module does not reverse
    anything.

    ## Example

    ```python
    import torch


    class Reversal(torch.nn.Module):
        def forward(self, x):
            return x.clone()

        def backward(self, grad):
            return -grad


    x = torch.ones(1, requires_grad=True)
    Reversal()(x).sum().backward()
    assert x.grad.item() == -1
    ```

    ## Use instead

    ```python
    import torch


    class Reversal(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return -grad


    x = torch.ones(1, requires_grad=True)
    Reversal.apply(x).sum().backward()
    assert x.grad.item() == -1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending torch.autograd](https://docs.pytorch.org/docs/stable/notes/extending.html)
    """

    code = "AG606"
    name = "backward-of-module"
    kinds = frozenset({Pitfall.MODULE_BACKWARD})
    message = "the `backward` of {tensor} is never run: it is a module, not a `Function`"
    label = "autograd does not call it"
    reason = "autograd only runs the `backward` of a `torch.autograd.Function`"
    advice = "subclass `torch.autograd.Function` with static methods, and call its `apply`"

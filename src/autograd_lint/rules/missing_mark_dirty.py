"""AG603: a custom Function writes an input without `mark_dirty`."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class MissingMarkDirty(SilentRule):
    """A custom Function modifies an input without `mark_dirty`.

    ## What it does

    Finds `forward` methods of custom Functions that modify an input in place without passing it to
    `ctx.mark_dirty`.

    ## Why it is bad

    Autograd does not know that the tensor has changed and still uses the graph of the old value.

    ## Example

    ```python
    import torch


    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            return x.sum()

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad.expand(2)


    x = torch.ones(2, requires_grad=True)
    h = x * 1
    Double.apply(h)
    h.sum().backward()
    assert x.grad.eq(2).all()
    ```

    ## Use instead

    ```python
    import torch


    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad


    x = torch.ones(2, requires_grad=True)
    h = x * 1
    Double.apply(h)
    h.sum().backward()
    assert x.grad.eq(2).all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending PyTorch: torch.autograd.Function](https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd)
    """

    code = "AG603"
    name = "missing-mark-dirty"
    kinds = frozenset({Pitfall.NOT_MARKED_DIRTY})
    message = "{operator} modifies its input {tensor} without telling autograd"
    label = "modified in place here"
    reason = "only `ctx.mark_dirty` tells autograd that an input has changed"
    advice = "call `ctx.mark_dirty` with it, and return it"

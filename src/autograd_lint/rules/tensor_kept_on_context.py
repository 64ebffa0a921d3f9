"""AG602: a custom Function keeps an input or output as an attribute of `ctx`."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import INPUT, ON_CLASS, Pitfall
from autograd_lint.rules.silent import SilentRule


class TensorKeptOnContext(SilentRule):
    """A custom Function stores an input or output as an attribute of `ctx`.

    ## What it does

    Finds `ctx.x = x` for inputs that require grad and for outputs of a custom Function, and what
    its `forward` leaves for `backward` on the class or under a global name.

    ## Why it is bad

    Only with `save_for_backward` can autograd check that the tensor is not modified in between; an
    output stored on `ctx` creates a reference cycle that leaks memory. The class is one for all
    calls: where the Function is applied twice, both backwards compute with the values of the second
    call.

    ## Example

    ```python
    import weakref
    import torch


    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.y = x.exp()
            return ctx.y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.y


    x = torch.ones(2, requires_grad=True)
    y = Exp.apply(x)
    alive = weakref.ref(y)
    y.sum().backward()
    del y
    assert alive() is None
    ```

    ## Use instead

    ```python
    import weakref
    import torch


    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y


    x = torch.ones(2, requires_grad=True)
    y = Exp.apply(x)
    alive = weakref.ref(y)
    y.sum().backward()
    del y
    assert alive() is None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending PyTorch: torch.autograd.Function](https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd)
    """

    code = "AG602"
    name = "tensor-kept-on-context"
    kinds = frozenset({Pitfall.KEPT_ON_CONTEXT})
    message = "{tensor} is stored on `ctx`, where autograd does not see it"
    label = "not saved by `save_for_backward`"
    reason = (
        "a result that is stored on `ctx` is a reference cycle: its memory is not freed in time"
    )
    advice = "write `ctx.save_for_backward(...)` and read `ctx.saved_tensors`"

    def says(self, fault: Fault) -> str:
        if fault.detail == ON_CLASS:
            return "{tensor} is one for all calls of {operator}: the next call replaces it"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ON_CLASS:
            return "the backward of an earlier call computes with the values of the latest one"
        if fault.detail == INPUT:
            return "autograd only notices writes to what `save_for_backward` was given"
        return super().explains(fault)

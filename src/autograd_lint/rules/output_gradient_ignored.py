"""AG609: `backward` of a custom Function does not use the gradient that it is given."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class OutputGradientIgnored(SilentRule):
    """The `backward` of a custom Function does not use the gradient of its result.

    ## What it does

    Finds Functions whose `backward` returns gradients without a look at the gradient that it is
    given, where the result of the Function is computed with before backward begins. Of several
    gradients it finds the one that is not looked at, where the loss hangs on that result.

    ## Why it is bad

    `backward` has to multiply by the gradient of the result (the chain rule). Without it every
    factor that comes later is lost: weights of a loss, the scale of a gradient scaler, all layers
    behind it. No error is raised.

    ## Example

    ```python
    import torch


    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return 2 * x


    x = torch.ones(3, requires_grad=True)
    (5 * Square.apply(x)).sum().backward()
    assert x.grad.tolist() == [10, 10, 10]
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
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return 2 * x * grad_output


    x = torch.ones(3, requires_grad=True)
    (5 * Square.apply(x)).sum().backward()
    assert x.grad.tolist() == [10, 10, 10]
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Extending torch.autograd](https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd)
    """

    code = "AG609"
    name = "output-gradient-ignored"
    kinds = frozenset({Pitfall.OUTPUT_GRADIENT_IGNORED})
    message = "`backward` of {tensor} does not use the gradient that it is given"
    label = "the gradient of the result is not multiplied in"
    reason = "what comes behind the Function has no influence on the gradients in front of it"
    advice = "multiply by the gradient of the result (the chain rule)"
    events = (("needed", "backward runs through it here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail:
            return "`backward` of {tensor} does not use `" + fault.detail + "`"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail:
            return "the loss hangs on that result, too"
        return super().labels(fault)

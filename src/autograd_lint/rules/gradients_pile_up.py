"""AG410: gradients accumulate from iteration to iteration, and nothing clears them."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import BEFORE_GIVEN, GATHERED, Pitfall
from autograd_lint.rules.silent import SilentRule


class GradientsPileUp(SilentRule):
    """Gradients accumulate from iteration to iteration, and nothing clears them.

    ## What it does

    Finds tensors that are made to require grad again while they hold the gradient of an earlier
    iteration, `zero_grad()` on an optimizer whose parameters get no gradient, while parameters of
    no optimizer do, and gradients that are added to a sum or put into a list batch by batch (the
    importance of parameters, gradients of single samples) without being cleared in between.

    ## Why it is bad

    Every backward adds to `.grad`: it holds the sum over all iterations.

    ## Example

    ```python
    import torch

    data = torch.ones(3)
    for _ in range(2):
        x = data.requires_grad_()
        (x * 2).sum().backward()
    assert x.grad.sum() == 6
    ```

    ## Use instead

    ```python
    import torch

    data = torch.ones(3)
    for _ in range(2):
        x = data.detach().requires_grad_()
        (x * 2).sum().backward()
    assert x.grad.sum() == 6
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.grad.html)
    """

    code = "AG410"
    name = "gradients-pile-up"
    kinds = frozenset({Pitfall.GRADIENTS_PILE_UP})
    message = "{operator} does not clear the gradients of earlier iterations"
    label = "gradients pile up"
    reason = "each backward adds to `.grad`"
    advice = (
        "clear `.grad` of the tensors that receive the gradients, or use `.detach()` of the data"
    )
    events = (
        ("needed", "gradients are added here"),
        ("modified", "used here, with the earlier ones"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == GATHERED:
            return "this adds to the gradients of earlier batches, which nothing clears"
        if fault.detail == BEFORE_GIVEN:
            return (
                "gradients of {tensor} pile up here, until an optimizer gets it and uses them all"
            )
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == GATHERED:
            return "call `zero_grad()` before each backward"
        if fault.detail == BEFORE_GIVEN:
            return (
                "clear the gradients of the whole model (`model.zero_grad()`), or freeze the rest"
            )
        return super().advises(fault)

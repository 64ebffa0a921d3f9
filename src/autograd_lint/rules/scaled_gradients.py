"""AG405: gradients of a scaled loss are used as if they were not scaled."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import RESCALED, UNSCALED, Pitfall
from autograd_lint.rules.silent import SilentRule


class ScaledGradients(SilentRule):
    """Gradients of a scaled loss are clipped or used without unscaling them.

    ## What it does

    Finds gradients of a loss scaled by a `GradScaler` that are clipped before `unscale_`, or used
    by `optimizer.step()` instead of `scaler.step(optimizer)`, and losses that are not scaled beside
    one that is.

    ## Why it is bad

    The gradients are too large by the scale factor (65,536 at first): clipping makes the true
    gradients tiny, and a plain step is far too large. The scaler divides all gradients, so a loss
    that was not scaled counts for next to nothing.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()
    torch.nn.utils.clip_grad_norm_([w], 2.0)
    scaler.step(optimizer)
    scaler.update()
    assert w.item() == -1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_([w], 2.0)
    scaler.step(optimizer)
    scaler.update()
    assert w.item() == -1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Automatic mixed precision examples](https://docs.pytorch.org/docs/stable/notes/amp_examples.html)
    """

    code = "AG405"
    name = "scaled-gradients"
    kinds = frozenset({Pitfall.SCALED_GRADIENTS})
    message = "{operator} uses gradients that are still scaled"
    label = "here the scale matters"
    reason = "the gradients of a scaled loss are too large by the scale factor"
    advice = "call `scaler.unscale_(optimizer)` before, and `scaler.step(optimizer)` for the step"
    events = (("needed", "backward from the scaled loss"),)

    def says(self, fault: Fault) -> str:
        return _SAYS.get(fault.detail, self.message)

    def explains(self, fault: Fault) -> str:
        return _REASONS.get(fault.detail, self.reason)

    def advises(self, fault: Fault) -> str:
        return _ADVICE.get(fault.detail, self.advice)


_SAYS = {
    UNSCALED: "this loss is not scaled, but the gradients are divided by the scale",
    RESCALED: "the scale changes before the gradients of {tensor} are divided by it",
}
_REASONS = {
    UNSCALED: "`unscale_()` and `step()` of the scaler divide all gradients, those of every loss",
    RESCALED: "a step divides by the scale of that moment, not by the one that the loss had",
}
_ADVICE = {
    UNSCALED: "scale each loss: `scaler.scale(loss)`",
    RESCALED: "call `scaler.update()` once, after the steps of all optimizers",
}

"""AG341: a mask hides values for which the gradient is not a number."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import CLAMPED, MISSING_TARGETS, Pitfall
from autograd_lint.rules.silent import SilentRule


class MaskedSingularity(SilentRule):
    """A mask hides NaN or infinite values, but not their gradients.

    ## What it does

    Finds `torch.where`, `masked_fill` and products with a mask that mask out exactly the elements
    for which the masked function has no finite derivative: `sqrt` and `log` at or below zero, a
    division by zero, `exp` where it overflows. An index that overwrites such elements or leaves
    them out is a mask, too, and so are `nan_to_num` and `isnan()` of what such a function gave.
    So, where possible findings are shown, is a clamp of what `exp` may have overflowed to.
    Also finds targets that hold NaN and are masked after they were compared, and arguments that are
    clamped to where the function has no finite derivative (`acos(x.clamp(-1, 1))`).

    ## Why it is bad

    The mask hides the value, not the gradient: a masked-out element gets a gradient of zero, and
    zero times infinity is NaN. One such element makes the gradient of every parameter NaN.

    ## Example

    ```python
    import torch

    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
    y.sum().backward()
    assert x.grad.isfinite().all()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.tensor([0.0, 4.0], requires_grad=True)
    safe = torch.where(x > 0, x, torch.ones_like(x))
    y = torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x))
    y.sum().backward()
    assert x.grad.isfinite().all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Gradients for non-differentiable functions](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)
    """

    code = "AG341"
    name = "masked-singularity"
    kinds = frozenset({Pitfall.MASKED_SINGULARITY})
    message = "masked-out elements still produce NaN gradients in {operator}"
    label = "hides the value, but not the gradient"
    reason = "backward multiplies a zero gradient by an infinite derivative, which is NaN"
    advice = "mask the input of {operator} too, as in `torch.sqrt(torch.where(mask, x, 1.0))`"
    events = (("built", "has no finite derivative at the masked elements"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == MISSING_TARGETS:
            return "targets that are NaN still produce NaN gradients in {operator}"
        if fault.detail == CLAMPED:
            return (
                "{operator} has an infinite derivative at the bound that its argument is clamped to"
            )
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == MISSING_TARGETS:
            return "backward multiplies a zero gradient by NaN, which is NaN"
        if fault.detail == CLAMPED:
            return "a clamp hands the gradient on to what lies exactly on its bounds"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == MISSING_TARGETS:
            return "pick the elements before they are compared: `(pred[mask] - target[mask])`"
        if fault.detail == CLAMPED:
            return "clamp to a little less: `clamp(-1 + 1e-6, 1 - 1e-6)`, `clamp(min=1e-12)`"
        return super().advises(fault)

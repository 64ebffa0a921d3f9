"""AG354: a function with an infinite derivative at the end of the range of what it is given."""

from autograd_lint.checkers.range_ends import INVERSES
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SingularAtEndOfRange(SilentRule):
    """A function is given what reaches the end of its range, where its derivative is infinite.

    ## What it does

    Finds the logarithm of what `softmax` gave, or of one minus what `sigmoid` or `softmax` gave,
    and `acos`, `asin` and `atanh` of a cosine similarity or of what `tanh` gave, where nothing is
    added to the argument and nothing clamps it, and backward runs through it.

    ## Why it is bad

    `softmax` is exactly zero where a logit is masked, or in float32 104 below the largest one, and
    `sigmoid` is exactly one from 17 on; the cosine of two equal vectors is one. The derivative
    there is infinite, and infinity times the zero behind it is NaN: one such element makes the
    gradient of every parameter NaN.

    ## Example

    ```python
    import torch

    logits = torch.tensor([[200.0, 0.0]], requires_grad=True)
    p = logits.softmax(-1)
    entropy = -(p * p.log()).sum()
    entropy.backward()
    assert logits.grad.isfinite().all()
    ```

    ## Use instead

    ```python
    import torch

    logits = torch.tensor([[200.0, 0.0]], requires_grad=True)
    p = logits.softmax(-1)
    entropy = -(p * logits.log_softmax(-1)).sum()
    entropy.backward()
    assert logits.grad.isfinite().all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.LogSoftmax](https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html)
    - [torch.nn.BCEWithLogitsLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html)
    """

    code = "AG354"
    name = "singular-at-end-of-range"
    kinds = frozenset({Pitfall.SINGULAR_AT_END})
    message = "the derivative of {operator} is infinite where `{end}` reaches the end of its range"
    label = "its derivative is infinite at that end"
    reason = "infinity times the zero that lies behind it is not a number"
    advice = "use {instead}, or clamp the argument first"
    events = (("needed", "backward runs through it here"),)

    def says(self, fault: Fault) -> str:
        return self.message.replace("{end}", fault.detail)

    def explains(self, fault: Fault) -> str:
        if fault.operator in INVERSES:
            return "where its argument is one, the gradient is infinite or not a number"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.operator in INVERSES:
            return "clamp its argument to less than one: `clamp(-1 + 1e-6, 1 - 1e-6)`"
        if fault.detail.lower() == "softmax":
            return self.advice.replace("{instead}", "`log_softmax`")
        return self.advice.replace("{instead}", "`logsigmoid`, or a loss that takes logits")

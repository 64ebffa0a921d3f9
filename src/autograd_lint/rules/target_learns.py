"""AG317: a target computed by a copy of the network gets a gradient."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    ADVANTAGE,
    ANCHOR,
    OLD_PROBABILITY,
    PREDICTED,
    SHARPENED,
    Pitfall,
)
from autograd_lint.rules.silent import SilentRule


class TargetLearns(SilentRule):
    """A target computed by a copy of the network gets a gradient.

    ## What it does

    Finds losses that compare the output of a network with that of a copy of it (made by `deepcopy`
    or `load_state_dict`), where backward also reaches the copy; and losses whose target is a
    bootstrapped value of the same network (`reward + discount * value(later)`). Also finds policy
    gradients (`log_prob * advantage`) whose advantage gets a gradient, although another loss trains
    the value in it, and ratios (`(new - old).exp()`) in which the old probability gets a gradient;
    losses that compare nothing but predictions with the embeddings that they predict, both with a
    gradient, as in SimSiam without its stop-gradient; losses that compare probabilities with
    powers of themselves (`kl_div(q.log(), sharpened(q))`), as a clustering trains itself; and those
    that compare them with a power of other outputs of the same network, divided by its sum.

    ## Why it is bad

    The target is moved towards the prediction instead of staying fixed. If no optimizer updates the
    copy, its gradients only cost time and memory.

    ## Example

    ```python
    import copy

    import torch

    model = torch.nn.Linear(2, 1)
    target = copy.deepcopy(model)
    x = torch.ones(1, 2)
    torch.nn.functional.mse_loss(model(x), 1 + 0.9 * target(x)).backward()
    assert target.weight.grad is None
    ```

    ## Use instead

    ```python
    import copy

    import torch

    model = torch.nn.Linear(2, 1)
    target = copy.deepcopy(model)
    x = torch.ones(1, 2)
    with torch.no_grad():
        wanted = 1 + 0.9 * target(x)
    torch.nn.functional.mse_loss(model(x), wanted).backward()
    assert target.weight.grad is None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Autograd mechanics: locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
    """

    code = "AG317"
    name = "target-learns"
    kinds = frozenset({Pitfall.TARGET_LEARNS})
    message = (
        "the target of this loss gets a gradient: backward also reaches {tensor} in its network"
    )
    label = "part of the target"
    reason = "backward differentiates both arguments of a loss"
    advice = "compute the target under `with torch.no_grad():`"
    events = (("built", "computed here"), ("needed", "backward reaches the target here"))

    def says(self, fault: Fault) -> str:
        if fault.detail == ADVANTAGE:
            return "the advantage {tensor} gets a gradient: the policy loss also trains the critic"
        if fault.detail == ANCHOR:
            return (
                "this keeps the graph of {tensor}: losses after its steps send gradients through it"
            )
        if fault.detail == OLD_PROBABILITY:
            return "the old log probability {tensor} gets a gradient, which cancels the new one"
        if fault.detail == PREDICTED:
            return "what is predicted here, {tensor}, gets a gradient as well"
        if fault.detail == SHARPENED:
            return "this target is a power of what the network itself gives, and gets a gradient"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ADVANTAGE:
            return "in a policy gradient the weight of a log probability is a constant"
        if fault.detail == ANCHOR:
            return "a difference to what a parameter was is constant where both have its graph"
        if fault.detail == OLD_PROBABILITY:
            return (
                "both are computed from the same parameters, so the ratio does not depend on them"
            )
        if fault.detail == PREDICTED:
            return "the loss is least where the network gives the same for every input"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == ADVANTAGE:
            return "multiply by `advantage.detach()`"
        if fault.detail == ANCHOR:
            return "keep its values alone (`.detach().clone()`)"
        if fault.detail == OLD_PROBABILITY:
            return "use `.detach()`, or compute it under `torch.no_grad()` before the update"
        if fault.detail == PREDICTED:
            return "compare the prediction with `.detach()` of it"
        return super().advises(fault)

"""AG327: a parameter is frozen while its old gradient is still there."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import DECAYED, ZEROED, Pitfall
from autograd_lint.rules.silent import SilentRule


class FrozenParameterMoves(SilentRule):
    """A parameter is frozen while its `.grad` still holds an old gradient.

    ## What it does

    Finds parameters whose `requires_grad` is set to False while `.grad` still holds a gradient, and
    which the optimizer then updates. Also finds hooks that zero a part of a gradient, where the
    optimizer has weight decay.

    ## Why it is bad

    Optimizers look at `.grad`, not at `requires_grad`: every step applies the old gradient again,
    together with momentum and weight decay.

    ## Example

    ```python
    import torch

    w = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    w.sum().backward()
    optimizer.step()
    w.requires_grad_(False)
    before = w.item()
    optimizer.step()
    assert w.item() == before
    ```

    ## Use instead

    ```python
    import torch

    w = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    w.sum().backward()
    optimizer.step()
    w.requires_grad_(False)
    w.grad = None
    before = w.item()
    optimizer.step()
    assert w.item() == before
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim](https://docs.pytorch.org/docs/stable/optim.html)
    """

    code = "AG327"
    name = "frozen-parameter-moves"
    kinds = frozenset({Pitfall.FROZEN_MOVES})
    message = "{tensor} is frozen here, but the optimizer still moves it"
    label = "frozen here"
    reason = "`step()` uses `.grad`, which still holds the gradient of the last backward"
    advice = "set `.grad` to None (`zero_grad()`) before freezing, or create a new optimizer"
    events = (("modified", "this step moves it"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == DECAYED:
            return (
                "a part of the gradient of {tensor} is zeroed here, but weight decay still moves it"
            )
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == DECAYED:
            return "put the parameter into a group of its own with `weight_decay=0`"
        return super().advises(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ZEROED:
            return "where `.grad` is zero and not None, weight decay and momentum go on"
        if fault.detail == DECAYED:
            return "weight decay shrinks every element in every step, whatever the gradient is"
        return super().explains(fault)

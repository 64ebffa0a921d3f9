"""AG119: a moving average is written into the network that is trained."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    ROUNDED,
    STANDS_STILL,
    Pitfall,
)
from autograd_lint.rules.silent import SilentRule


class AverageReversed(SilentRule):
    """A moving average is written into the network that is trained, and not into its copy.

    ## What it does

    Finds parameters of an optimizer that a program blends, step by step, with those of a copy of
    the network that nothing ever changes: the arguments of a soft update, or the two sides of a
    moving average, are in the wrong order. `trace` also finds averages of a network that nothing
    trains, and averages of 16 bits (`bfloat16`) that never move: what is added to them is rounded
    away.

    ## Why it is bad

    The copy keeps its first values, so a target network or an average never follows. The trained
    network is drawn back to where it began at each step.

    ## Example

    ```python
    import copy

    import torch

    model = torch.nn.Linear(1, 1)
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = average.weight.item()
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(1, 1)).sum().backward()
        optimizer.step()
        with torch.no_grad():
            for p, e in zip(model.parameters(), average.parameters()):
                p.mul_(0.9).add_(e, alpha=0.1)
    assert average.weight.item() != before
    ```

    ## Use instead

    ```python
    import copy

    import torch

    model = torch.nn.Linear(1, 1)
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = average.weight.item()
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(1, 1)).sum().backward()
        optimizer.step()
        with torch.no_grad():
            for p, e in zip(model.parameters(), average.parameters()):
                e.mul_(0.9).add_(p, alpha=0.1)
    assert average.weight.item() != before
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim.swa_utils: weight averaging](https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema)
    """

    code = "AG119"
    name = "average-reversed"
    kinds = frozenset({Pitfall.AVERAGE_REVERSED})
    message = "this average is written to {tensor}, which is trained: the copy never follows"
    label = "the trained network is drawn to a copy that stands still"
    reason = "a soft update reads the trained network, and writes its copy"
    advice = "exchange the two networks"
    events = (("needed", "called here"),)
    unnamed = "a parameter"

    def says(self, fault: Fault) -> str:
        if fault.detail == STANDS_STILL:
            return "this average never moves: nothing trains {tensor}"
        if fault.detail == ROUNDED:
            return "this average never moves: what is added to {tensor} is rounded away"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == STANDS_STILL:
            return "the optimizer has the parameters of another module: the original of a copy?"
        if fault.detail == ROUNDED:
            return "{tensor} has 16 bits, and a small part of a difference is lost in them"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == STANDS_STILL:
            return "average the parameters that the optimizer has"
        if fault.detail == ROUNDED:
            return "keep the average in `float32`"
        return super().advises(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == ROUNDED:
            return "is rounded away"
        if fault.detail == STANDS_STILL:
            return "an average of a network that stands still"
        return super().labels(fault)

"""AG422: a learning-rate scheduler is made, and never steps."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SchedulerNeverSteps(SilentRule):
    """A learning-rate scheduler is made, and never steps.

    ## What it does

    Finds schedulers of `torch.optim.lr_scheduler` that a function makes, and then neither steps nor
    hands over, while it trains with their optimizer.

    ## Why it is bad

    The rate stays what it was when the scheduler was made: of a warmup that is its first, small
    rate. No error is raised.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
    for epoch in range(3):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
    assert optimizer.param_groups[0]["lr"] < 1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
    for epoch in range(3):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] < 1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: how to adjust the learning rate](https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate)
    """

    code = "AG422"
    name = "scheduler-never-steps"
    kinds = frozenset({Pitfall.NEVER_SCHEDULED})
    message = "{tensor} never steps: the rate stays what it is here"
    label = "made, and never stepped"
    reason = "a scheduler sets the rate of its optimizer when it is made, and at each `step()`"
    advice = "call its `step()` after the optimizer's, once an epoch or a batch as it was made for"

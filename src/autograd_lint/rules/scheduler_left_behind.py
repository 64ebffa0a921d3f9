"""AG414: a learning-rate scheduler changes an optimizer that was replaced."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SchedulerLeftBehind(SilentRule):
    """A learning-rate scheduler still changes an optimizer that was replaced by a new one.

    ## What it does

    Finds steps of a scheduler whose optimizer does not step any more, because a later one was given
    its parameters.

    ## Why it is bad

    A scheduler keeps the optimizer that it was created with. The learning rate of the new optimizer
    never changes, and nothing is raised.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer = torch.optim.Adam([w], lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] < 1.0
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for _ in range(2):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] < 1.0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: how to adjust learning rate](https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate)
    """

    code = "AG414"
    name = "scheduler-left-behind"
    kinds = frozenset({Pitfall.SCHEDULER_LEFT_BEHIND})
    message = "this scheduler changes an optimizer that is no longer used"
    label = "changes the old optimizer"
    reason = "a scheduler keeps the optimizer that it was created with"
    advice = "create a new scheduler with the new optimizer"
    events = (("built", "the optimizer in use"),)

"""AG418: a learning-rate scheduler steps more often, or less often, than it was made for."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import METRIC, ZERO_RATE, Pitfall
from autograd_lint.rules.silent import SilentRule


class SchedulerOutOfStep(SilentRule):
    """A learning-rate scheduler that was made for epochs steps in each batch, or vice versa.

    ## What it does

    Finds schedulers whose length is that of the loop over epochs (`T_max=epochs`, milestones in
    epochs) and that step in the loop over batches inside of it; schedulers that were told how many
    steps an epoch has and step once an epoch; and `scheduler.step(metric)` of a scheduler that
    takes no metric. `trace` also reports optimizers whose rate was zero in every step of a run, by
    a schedule or by hand.

    ## Why it is bad

    The learning rate runs through its whole schedule in the first epoch, or hardly begins it. A
    number in the place of an epoch sets the scheduler to that epoch. No error is raised.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    epochs, batches = 4, [1.0, 2.0, 3.0]
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    rates = []
    for epoch in range(epochs):
        for batch in batches:
            optimizer.zero_grad()
            (w * batch).sum().backward()
            optimizer.step()
            scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == sorted(rates, reverse=True)
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    epochs, batches = 4, [1.0, 2.0, 3.0]
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    rates = []
    for epoch in range(epochs):
        for batch in batches:
            optimizer.zero_grad()
            (w * batch).sum().backward()
            optimizer.step()
        scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == sorted(rates, reverse=True)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: how to adjust learning rate](https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate)
    """

    code = "AG418"
    name = "scheduler-out-of-step"
    kinds = frozenset({Pitfall.SCHEDULER_OUT_OF_STEP})
    message = "the scheduler does not step in the rhythm that it was made for"
    label = "steps here"
    reason = "its length and its steps count different things: epochs and batches"
    advice = "step where what its length counts ends: once an epoch, or once a batch"
    events = (("built", "made here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == METRIC:
            return "this scheduler takes no metric: the number is taken for an epoch"
        if fault.detail == ZERO_RATE:
            return "no step moves anything: each has a learning rate of zero"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == METRIC:
            return "only `ReduceLROnPlateau` looks at a metric"
        if fault.detail == ZERO_RATE:
            return "the optimizer was given another rate, and every step so far had one of zero"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == METRIC:
            return "call `step()` without an argument, or use `ReduceLROnPlateau`"
        if fault.detail == ZERO_RATE:
            return (
                "look at what the schedule computes: `//` rounds the first epochs or steps to zero"
            )
        return super().advises(fault)

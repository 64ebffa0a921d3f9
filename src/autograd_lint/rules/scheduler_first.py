"""AG406: a learning-rate scheduler steps before its optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class SchedulerFirst(SilentRule):
    """A learning-rate scheduler steps before its optimizer.

    ## What it does

    Finds training loops in which `scheduler.step()` comes before the first `optimizer.step()`.

    ## Why it is bad

    The first value of the schedule is skipped: the first step uses the second learning rate.
    PyTorch only warns.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    rates = []
    for _ in range(2):
        scheduler.step()
        optimizer.zero_grad()
        w.sum().backward()
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
    assert rates[0] == 1.0
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    rates = []
    for _ in range(2):
        optimizer.zero_grad()
        w.sum().backward()
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    assert rates[0] == 1.0
    ```

    ## Fix safety

    The fix to step the scheduler after the optimizer is unsafe: every step uses a different
    learning rate. It is offered where both are in the same block.

    ## References

    - [torch.optim: how to adjust learning rate](https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate)
    """

    code = "AG406"
    name = "scheduler-first"
    kinds = frozenset({Pitfall.SCHEDULER_FIRST})
    message = "the scheduler steps before its optimizer: the first learning rate is skipped"
    label = "steps first"
    reason = (
        "a scheduler sets the learning rate of the next step, so it comes after"
        " the optimizer's step"
    )
    advice = "call `scheduler.step()` after `optimizer.step()`"
    events = (("modified", "the first step of the optimizer"),)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        stepped = fault.modified.place if fault.modified else None
        edits = chunk.lines.moved_after(place, stepped) if stepped else ()
        return unsafe("Step the scheduler after the optimizer", edits)

"""Learning-rate schedulers: what matters of them is when they step."""

from __future__ import annotations

from autograd_lint.libraries.torch.events import SchedulerStepped, SchedulerTold
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Native, Value

SCHEDULERS = "torch.optim.lr_scheduler."


def make_scheduler(path: str, call: Call) -> Instance:
    """`StepLR(optimizer, ...)` and the like."""
    optimizer = call.get(0, "optimizer")
    scheduler = Instance(External(path), {"optimizer": optimizer}, made_at=call.node)

    def step(interp: Interpreter, later: Call) -> Value:
        # Where the step is told an epoch or a metric, no rate depends on how often it was called.
        if not (later.args or later.keywords):
            place = interp.place(later.node)
            interp.emit(SchedulerStepped(optimizer, place, scheduler, later.node))
        elif later.args:
            interp.emit(SchedulerTold(scheduler, later.args[0], later.node))
        return None

    scheduler.attributes["step"] = Native("step", step)
    return scheduler

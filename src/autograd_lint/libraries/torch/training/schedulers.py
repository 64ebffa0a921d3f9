"""Learning-rate schedulers: what matters of them is when they step."""

from __future__ import annotations

from autograd_lint.libraries.torch.events import SchedulerStepped
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Native, Value

SCHEDULERS = "torch.optim.lr_scheduler."


def make_scheduler(path: str, call: Call) -> Instance:
    """`StepLR(optimizer, ...)` and its like."""
    optimizer = call.get(0, "optimizer")

    def step(interp: Interpreter, later: Call) -> Value:
        # Where the step is told an epoch or a metric, no rate depends on how often it was called.
        if not (later.args or later.keywords):
            interp.emit(SchedulerStepped(optimizer, interp.place(later.node)))
        return None

    methods: dict[str, Value] = {"optimizer": optimizer, "step": Native("step", step)}
    return Instance(External(path), methods, made_at=call.node)

"""Grad modes that a program enters and leaves by hand, as context managers of its own do.

class evaluating:
    def __enter__(self):
        self.mode = torch.no_grad()
        self.mode.__enter__()

    def __exit__(self, *raised):
        self.mode.__exit__(*raised)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.engine.machine import Mode
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.values import Native, Value


@dataclass(slots=True)
class EnteredModes:
    """The modes that were entered by hand, the last one last, each with what to go back to."""

    entered: list[tuple[GradMode, Mode]] = field(default_factory=list)


def by_hand(mode: GradMode, name: str) -> Native | None:
    """`mode.__enter__` and `mode.__exit__`; None where it is another attribute."""
    if name == "__enter__":
        return Native(name, lambda interp, call: _enter(interp, mode))
    if name == "__exit__":
        return Native(name, lambda interp, call: _leave(interp, mode))
    return None


def _enter(interp: Interpreter, mode: GradMode) -> Value:
    grad, inference, switch = interp.engine.enter_mode(
        grad=mode.grad, inference=mode.inference, switch=mode.made
    )
    before = grad if mode.before is None else mode.before, inference, switch
    interp.state(EnteredModes).entered.append((mode, before))
    return None


def _leave(interp: Interpreter, mode: GradMode) -> Value:
    """What is left need not be what was entered last."""
    entered = interp.state(EnteredModes).entered
    for position in reversed(range(len(entered))):
        if entered[position][0] is mode:
            interp.engine.leave_mode(entered.pop(position)[1])
            break
    return None

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

from autograd_lint.engine.events import Created
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.values import Native, Value

Before = tuple[bool, bool, Created | None]  # grad mode, inference mode, and what has set it


@dataclass(slots=True)
class EnteredModes:
    """The modes that were entered by hand, the last one last, each with what to go back to."""

    entered: list[tuple[GradMode, Before]] = field(default_factory=list)


def by_hand(mode: GradMode, name: str) -> Native | None:
    """`mode.__enter__` and `mode.__exit__`; None where it is another attribute."""
    if name == "__enter__":
        return Native(name, lambda interp, call: _enter(interp, mode))
    if name == "__exit__":
        return Native(name, lambda interp, call: _leave(interp, mode))
    return None


def _enter(interp: Interpreter, mode: GradMode) -> Value:
    engine = interp.engine
    grad = engine.grad_enabled if mode.before is None else mode.before
    before = (grad, engine.inference, engine.switch)
    interp.state(EnteredModes).entered.append((mode, before))
    engine.grad_enabled, engine.switch = mode.grad, mode.made
    engine.inference = engine.inference if mode.inference is None else mode.inference
    return None


def _leave(interp: Interpreter, mode: GradMode) -> Value:
    """What is left need not be what was entered last."""
    entered, engine = interp.state(EnteredModes).entered, interp.engine
    for position in reversed(range(len(entered))):
        if entered[position][0] is mode:
            _, (engine.grad_enabled, engine.inference, engine.switch) = entered.pop(position)
            break
    return None

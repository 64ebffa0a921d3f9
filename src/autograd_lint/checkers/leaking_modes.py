"""Grad modes that outlive the function or generator that has set them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.effects import trains_in
from autograd_lint.libraries.torch.events import PassBegun, StepBegun
from autograd_lint.project.query import query
from autograd_lint.vm.events import FunctionLeft, IterationBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items


@dataclass(slots=True, eq=False, repr=False)
class LeakingModes(Checker):
    """`leak` is the switch that the last function has left behind which did so, `handed_out` are
    the places at which the generators that loops go over hand out their grad mode."""

    leak: Created | None = None
    handed_out: list[Created] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionLeft, cls.function_left)
        to.add(cls, StepBegun, cls.step_begun)
        to.add(cls, IterationBegun, cls.iteration_begun)
        to.add(cls, PassBegun, cls.passed)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function returns with another grad mode than it was called in."""
        switch = interp.engine.switch
        kept = interp.engine.grad_enabled or not event.grad_enabled or not event.finished
        if kept or switch is None:
            return
        if _switches_back(event.function.node):
            note(interp, Pitfall.MODE_LEAKS, switch.place, operator=switch.operator)
        self.leak = switch

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps in a grad mode that a function has left behind."""
        leak = self.leak
        if leak is not None and not interp.engine.grad_enabled and interp.engine.switch is leak:
            step = Modified(event.place, "step", None, 0, by_optimizer=True)
            note(interp, Pitfall.MODE_LEAKS, leak.place, operator=leak.operator, modified=step)

    def iteration_begun(self, interp: Interpreter, event: IterationBegun) -> None:
        """A loop goes over a generator that is suspended in a grad mode of its own."""
        leak = event.sequence.leaks if isinstance(event.sequence, Items) else None
        if leak is None or event.loop is None:
            return
        self.handed_out.append(leak)
        if trains_in(interp.source, event.loop):
            note(interp, Pitfall.MODE_LEAKS, leak.place, operator=leak.operator)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does its loss use what a loop has computed in such a grad mode?"""
        if not self.handed_out or event.walk.call.place is None:
            return
        switches = {id(one.switch) for node in event.walk.order for one in node.graph_breaks}
        for leak in self.handed_out:
            if id(leak) in switches:
                note(interp, Pitfall.MODE_LEAKS, leak.place, operator=leak.operator)


@query
def _switches_back(node: ast.AST) -> bool:
    """Whether the last switch in a function is back: one that ends in switching off means it, and
    so does one that only switches to what it is told."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    switches = [call for call in calls if _is_switch(call.func) and call.args]
    switches.sort(key=lambda call: (call.lineno, call.col_offset))
    return len(switches) > 1 and not _is_false(switches[-1].args[0])


def _is_switch(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "set_grad_enabled"


def _is_false(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Constant) and argument.value is False

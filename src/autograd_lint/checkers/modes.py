"""Grad mode switches that do nothing, and code that they do not get to."""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import BackwardCalled, ThreadRun
from autograd_lint.vm.events import ContextEntered, ExpressionStatementRun, FunctionDecorated
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.values import External, Function

CONTEXTS = {"torch.no_grad", "torch.enable_grad", "torch.inference_mode"}


class Modes(Checker):
    """Looks at each place where a grad mode is named, and at what runs in another one."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ExpressionStatementRun, cls.expression_run)
        to.add(cls, ContextEntered, cls.entered)
        to.add(cls, FunctionDecorated, cls.decorated)
        to.add(cls, BackwardCalled, cls.backward_called)
        to.add(cls, ThreadRun, cls.thread_run)

    def expression_run(self, interp: Interpreter, event: ExpressionStatementRun) -> None:
        """A grad-mode context stands alone as a statement, and would change the mode."""
        mode = event.value
        if not isinstance(mode, GradMode) or not isinstance(event.node, ast.Call):
            return
        if mode.before is None and (mode.inference or mode.grad != interp.engine.grad_enabled):
            name = mode.made.operator if mode.made else ""
            note(interp, Pitfall.MODE_WITHOUT_EFFECT, interp.place(event.node), operator=name)

    def entered(self, interp: Interpreter, event: ContextEntered) -> None:
        """`with torch.no_grad:` enters the class, not a context."""
        manager = event.manager
        if isinstance(manager, External) and manager.path in CONTEXTS:
            place = interp.place(event.node)
            note(interp, Pitfall.MODE_WITHOUT_EFFECT, place, operator=manager.path)

    def decorated(self, interp: Interpreter, event: FunctionDecorated) -> None:
        """A grad-mode decorator on a coroutine is over before the coroutine runs."""
        if isinstance(event.function.node, ast.AsyncFunctionDef):
            place, name = interp.place(event.node), event.function.name
            note(interp, Pitfall.MODE_NOT_INHERITED, place, operator="async def", tensor=name)

    def backward_called(self, interp: Interpreter, event: BackwardCalled) -> None:
        """`create_graph=True` records the backward pass regardless of the surrounding grad mode."""
        switch = interp.engine.switch
        if event.create_graph and switch is not None and not interp.engine.recording:
            place = interp.place(event.node)
            note(interp, Pitfall.GRAPH_UNDER_NO_GRAD, place, operator=switch.operator)

    def thread_run(self, interp: Interpreter, event: ThreadRun) -> None:
        """A thread has recorded a graph though grad mode is off where it was begun."""
        function, switch = event.function, interp.engine.switch
        own = function.mode if isinstance(function, Function) else None
        off = not interp.engine.recording and switch is not None
        if not (off and event.recorded and own is None):
            return
        latest = interp.engine.latest
        made = latest if latest is not None and latest.sequence > event.since else None
        note(
            interp,
            Pitfall.MODE_NOT_INHERITED,
            interp.place(event.node),
            operator="thread",
            built=switch,
            assumptions=made.requires if made is not None else frozenset(),
        )

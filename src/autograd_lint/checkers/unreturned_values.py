"""Hooks that compute a new value of their argument, and return nothing.

def freeze(gradient):
    gradient = gradient * mask       # the hook wants `return gradient * mask`

weight.register_hook(freeze)
"""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import NOT_RETURNED, Pitfall
from autograd_lint.facts.lost_values import value_lost_in
from autograd_lint.libraries.torch.events import HookRegistered
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Method, Value


class UnreturnedValues(Checker):
    """Looks at each hook that is put on a tensor or a module."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, HookRegistered, cls.registered)

    def registered(self, interp: Interpreter, event: HookRegistered) -> None:
        """A hook is registered: does it end with a new value of its argument, which is lost?"""
        function = _function_of(event.hook)
        lost = value_lost_in(function.node) if function is not None else None
        if function is None or lost is None:
            return
        target = lost.targets[0]
        note(
            interp,
            Pitfall.RESULT_DROPPED,
            function.source.place(lost),
            tensor=target.id if isinstance(target, ast.Name) else None,
            operator=event.operator,
            detail=NOT_RETURNED,
        )


def _function_of(hook: Value) -> Function | None:
    """The function of the program that a hook runs: its own, its method's or its `__call__`."""
    if isinstance(hook, Instance):
        hook = hook.cls.find("__call__") if isinstance(hook.cls, Class) else None
    if isinstance(hook, Method):
        hook = hook.function
    return hook if isinstance(hook, Function) else None

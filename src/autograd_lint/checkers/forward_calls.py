"""`module.forward(x)` instead of `module(x)`: hooks and wrappers are passed over."""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.vm.events import ForwardCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

MAY_HAVE_HOOKS = frozenset({Assumption(Kind.HAS_HOOKS, weight=2)})


class ForwardCalls(Checker):
    """Looks at each `forward` that is called by its name."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ForwardCalled, cls.forward_called)

    def forward_called(self, interp: Interpreter, event: ForwardCalled) -> None:
        """Whether it is called from outside of any object: those call what they are made of."""
        node, module = event.node, event.module
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return
        inside = interp.frame.receiver is not None
        if node.func.attr != "forward" or not isinstance(module, Instance) or inside:
            return
        assumptions = frozenset() if module.hooks else MAY_HAVE_HOOKS
        name = interp.text(node.func.value)
        place = interp.place(node)
        note(interp, Pitfall.FORWARD_CALLED, place, tensor=name, assumptions=assumptions)

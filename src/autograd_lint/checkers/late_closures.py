"""Functions made in a loop that backward runs later, when the loop has gone on.

for block in self.blocks:
    x = checkpoint(lambda t: block(t), x, use_reentrant=False)    # backward runs the last block

A closure looks its names up when it is run. Source:
https://docs.python.org/3/faq/programming.html#why-do-lambdas-defined-in-a-loop-with-different-values-all-return-the-same-result
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import Loop, enclosing
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import FunctionCheckpointed, HookRegistered, PassBegun
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.values import Function, Instance, Value, constant

_FORWARD = ("register_forward_hook", "register_forward_pre_hook")


@dataclass(frozen=True, slots=True, eq=False)
class Late:
    """A closure that is run later, with what the names of its loop meant when it was handed over.

    Backward runs it when it comes to a node of `nodes` or to the leaf `owner`, a call of the module
    `owner` where that is one.
    """

    closure: Function
    meant: dict[str, Value | Missing]
    operator: str
    place: Place
    nodes: frozenset[Node] = frozenset()
    owner: Tensor | Instance | None = None

    def changed(self) -> str | None:
        """A name that means something else by now."""
        scope = self.closure.scope
        names = (name for name, value in self.meant.items() if _differ(scope.lookup(name), value))
        return next(names, None)

    def is_run_by(self, walk: Pass) -> bool:
        """Whether a backward runs it."""
        if isinstance(self.owner, Tensor):
            return any(leaf is self.owner for leaf in walk.leaves())
        return any(node in self.nodes for node in walk.order)


@dataclass(slots=True, eq=False)
class LateClosures(Checker):
    """The closures of loops that were handed over, and not run since."""

    waiting: list[Late] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionCheckpointed, cls.checkpointed)
        to.add(cls, HookRegistered, cls.registered)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, ModuleCalled, cls.called)

    def checkpointed(self, interp: Interpreter, event: FunctionCheckpointed) -> None:
        """A checkpoint was made, whose function backward will run again."""
        self._hand_over(event.function, "checkpoint", event.place, frozenset(event.nodes))

    def registered(self, interp: Interpreter, event: HookRegistered) -> None:
        """A hook was put on a tensor or a module."""
        owner, node = event.owner, event.owner.node if isinstance(event.owner, Tensor) else None
        if isinstance(owner, Tensor) or event.operator in _FORWARD:
            nodes = frozenset({node} if node is not None else ())
            kept = None if nodes else owner
            self._hand_over(event.hook, event.operator, event.place, nodes, kept)

    def _hand_over(
        self,
        function: Value,
        operator: str,
        place: Place,
        nodes: frozenset[Node],
        owner: Tensor | Instance | None = None,
    ) -> None:
        names = function.query(_names_of_loop) if isinstance(function, Function) else frozenset()
        if names and isinstance(function, Function):
            meant = {name: function.scope.lookup(name) for name in sorted(names)}
            self.waiting.append(Late(function, meant, operator, place, nodes, owner))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which closures does it run?"""
        for one in self.waiting:
            if not isinstance(one.owner, Instance) and one.is_run_by(event.walk):
                _judge(interp, one, event.walk.call.place, event.walk.call.name)

    def called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module was called, and with it the hooks on its forward."""
        for one in self.waiting:
            if one.owner is event.module:
                _judge(interp, one, interp.place(event.call.node), "call")


def _judge(interp: Interpreter, one: Late, place: Place | None, by: str) -> None:
    name = one.changed()
    if name is not None:
        made = Created(one.closure.source.place(one.closure.node), name)
        needed = Needed(place, by)
        note(
            interp,
            Pitfall.BOUND_LATE,
            one.place,
            tensor=name,
            operator=one.operator,
            built=made,
            needed=needed,
        )


def _differ(now: Value | Missing, before: Value | Missing) -> bool:
    """Whether a name means something else now."""
    if now is MISSING or before is MISSING:
        return False
    return now != before if constant(now) and constant(before) else now is not before


@query
def _names_of_loop(source: Source, closure: ast.AST) -> frozenset[str]:
    """The names that a closure looks up, of those that each round of the loop around it sets."""
    assert isinstance(closure, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef)
    around = enclosing(source, closure.lineno)
    loops = [one for one in around if isinstance(one, Loop)]
    if not loops:
        return frozenset()
    parts = [part for part in ast.walk(closure) if isinstance(part, ast.Name)]
    own = {part.arg for part in ast.walk(closure.args) if isinstance(part, ast.arg)}
    own |= {part.id for part in parts if isinstance(part.ctx, ast.Store)}
    given = {id(part) for one in closure.args.defaults for part in ast.walk(one)}
    read = {part.id for part in parts if id(part) not in given} - own
    set_there = (part for part in ast.walk(loops[-1]) if isinstance(part, ast.Name))
    return frozenset(read & {part.id for part in set_there if isinstance(part.ctx, ast.Store)})

"""Functions made in a loop that a checkpoint runs again in backward, when the loop has gone on.

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
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import FunctionCheckpointed, PassBegun
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.values import Function, Value, constant


@dataclass(frozen=True, slots=True, eq=False)
class Late:
    """A closure that backward runs when it comes to one of `nodes`, with what the names of its loop
    meant when it was handed over."""

    closure: Function
    meant: dict[str, Value | Missing]
    place: Place
    nodes: frozenset[Node]

    def changed(self) -> str | None:
        """A name that means something else by now."""
        scope = self.closure.scope
        names = (name for name, value in self.meant.items() if _differ(scope.lookup(name), value))
        return next(names, None)


@dataclass(slots=True, eq=False, repr=False)
class LateClosures(Checker):
    """The closures of loops that checkpoints were given."""

    waiting: list[Late] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionCheckpointed, cls.checkpointed)
        to.add(cls, PassBegun, cls.passed)

    def checkpointed(self, interp: Interpreter, event: FunctionCheckpointed) -> None:
        """A checkpoint was made, whose function backward will run again."""
        closure = event.function
        names = closure.query(_names_of_loop) if isinstance(closure, Function) else frozenset()
        if names and isinstance(closure, Function):
            meant = {name: closure.scope.lookup(name) for name in sorted(names)}
            self.waiting.append(Late(closure, meant, event.place, frozenset(event.nodes)))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which closures does it run, and what do their names mean by now?"""
        walk = event.walk
        for one in self.waiting:
            name = one.changed() if any(node in one.nodes for node in walk.order) else None
            if name is not None:
                note(
                    interp,
                    Pitfall.BOUND_LATE,
                    one.place,
                    tensor=name,
                    operator="checkpoint",
                    built=Created(one.closure.source.place(one.closure.node), name),
                    needed=Needed(walk.call.place, walk.call.name),
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

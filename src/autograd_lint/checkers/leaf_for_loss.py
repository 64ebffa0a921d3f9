"""A fresh leaf in the place of a loss: backward runs, and no parameter gets a gradient.

Who calls a function of which one way returns such a leaf, and another one what it has computed,
runs backward from either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import PassBegun, ResultTrained
from autograd_lint.places import Place
from autograd_lint.project.nodes import statements
from autograd_lint.project.query import query
from autograd_lint.vm.contents import elements
from autograd_lint.vm.events import EntryReturned
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Value


@dataclass(slots=True, eq=False, repr=False)
class LeafForLoss(Checker):
    """The leaves of plain numbers that backward began at, with where they were made."""

    roots: list[tuple[Tensor, Created, Pass]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, EntryReturned, cls.returned)
        to.add(cls, ResultTrained, cls.trained)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: at a tensor that was made of numbers?"""
        walk = event.walk
        leaf = walk.starts[0].leaf if len(walk.starts) == 1 else None
        if leaf is None or leaf.parameter or leaf.anew is None or leaf.graph_breaks:
            return
        if walk.call.accumulate and not walk.call.gradient_given and leaf.shape in ((), (1,)):
            self.roots.append((leaf, leaf.anew[1], walk))

    def returned(self, interp: Interpreter, event: EntryReturned) -> None:
        """A function gives its result back: what if that becomes a loss?"""
        part = Assumption(Kind.IN_LOSS, event.function.name, weight=0, called=True)
        self._given_back(interp, event.function, event.result, part)

    def trained(self, interp: Interpreter, event: ResultTrained) -> None:
        """A training step gives its result back."""
        self._given_back(interp, event.function, event.result, event.because)

    def _given_back(
        self, interp: Interpreter, function: Function, result: Value, because: Assumption
    ) -> None:
        """A result was given back: is it a number, in the place of what is else computed?"""
        made = _number_that_requires_grad(result)
        if made is not None and made.place and _stands_in(function, made.place):
            note(
                interp,
                Pitfall.LEAF_FOR_LOSS,
                made.place,
                operator=made.operator,
                assumptions=frozenset({because}),
            )

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them are trained themselves?"""
        moved = stepped(interp)
        trained = {id(leaf) for leaf in moved} | interp.state(LeafRecord).asked.keys()
        reached = {id(one) for walk in interp.engine.backward.passes for one in walk.leaves()}
        for leaf, made, walk in self.roots:
            if id(leaf) in trained:
                continue
            others = bool(moved) or len(reached) > 1 or walk.call.place is None
            because = Assumption(Kind.MEANT_TO_LEARN, weight=0 if others else 1)
            note(
                interp,
                Pitfall.LEAF_FOR_LOSS,
                made.place,
                leaf=leaf,
                operator=made.operator,
                needed=Needed(walk.call.place, walk.call.name) if walk.call.place else None,
                assumptions=walk.call.assumptions | {because},
            )


def _number_that_requires_grad(result: Value) -> Created | None:
    """Where a result was made, if it is (or begins with) a leaf that holds one plain number."""
    first = next(iter(elements(result) or ()), result)
    if not isinstance(first, Tensor) or first.parameter or first.shape not in ((), (1,)):
        return None
    required = first.is_leaf and first.requires_grad is not None and not first.graph_breaks
    return first.anew[1] if required and first.anew is not None else None


def _stands_in(function: Function, place: Place) -> bool:
    """Whether what a function returns there takes the place of what it computes on other ways."""
    if place.filename != function.source.filename:
        return False
    returned = list(_returned(function.written.node))
    own = [one for one in returned if one.lineno <= place.row <= (one.end_lineno or one.lineno)]
    return bool(own) and any(one not in own and _is_computed(one) for one in returned)


@query
def _returned(function: ast.AST) -> tuple[ast.expr, ...]:
    """What a function returns, on each of its ways; of a tuple its first element."""
    return tuple(_firsts(function))


def _firsts(function: ast.AST) -> Iterator[ast.expr]:
    for node in statements(function):
        if isinstance(node, ast.Return) and node.value is not None:
            several = isinstance(node.value, ast.Tuple) and node.value.elts
            yield several[0] if several else node.value


def _is_computed(value: ast.expr) -> bool:
    """Whether an expression is no constant, and makes no leaf."""
    if isinstance(value, ast.Call):
        flags = {one.arg for one in value.keywords}
        method = value.func.attr if isinstance(value.func, ast.Attribute) else ""
        return "requires_grad" not in flags and method not in ("requires_grad_", "Parameter")
    return not isinstance(value, (ast.Constant, ast.UnaryOp, ast.Dict, ast.List))

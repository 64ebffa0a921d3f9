"""What a model computes for batch after batch, where nothing is trained."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autograd_lint.checkers.state import Evaluated
from autograd_lint.checkers.surroundings import Loop, enclosing
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.walk import reached
from autograd_lint.facts.relevance import trains
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Value

ADDING = {"add", "add_"}


def ran(interp: Interpreter, node: Node, given: Value, at: ast.AST, mode_set: Place) -> None:
    """A module whose evaluation mode was set at `mode_set` has computed `node` from `given`."""
    made, caller = Created(mode_set, "eval"), interp.called_by_nobody
    interp.watch.evaluated[id(node)] = Evaluated(node, interp.place(at), made, given, caller)


def summed(interp: Interpreter, node: Node, before: Node) -> bool:
    """Whether a value is the sum of its earlier one and of what the same parameters gave anew.

    The steps of a recurrent model lead to each other; batches have only the parameters in common.
    """
    function = interp.frame.function
    if function is None or node.operator not in ADDING or before not in node.edges:
        return False
    if trains(function.source.segment(_innermost_loop(function, node.place))):
        return False
    added = reached([edge for edge in node.edges if edge is not before])
    earlier = reached(before.edges)
    shared = [added[key] for key in added.keys() & earlier.keys()]
    if id(before) in added:
        return False  # a residual block
    return bool(shared) and all(one.leaf is not None and one.leaf.parameter for one in shared)


def _innermost_loop(function: Function, place: Place | None) -> ast.AST:
    """The loop of a function in which a place stands; without one the whole function."""
    node, around = function.node, enclosing(function.source, place.row if place is not None else 0)
    rows = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    loops = [one for one in around if isinstance(one, Loop) and one.lineno in rows]
    return loops[-1] if loops else node


def evaluated(interp: Interpreter, node: Node, before: Iterable[Node]) -> Evaluated | None:
    """The evaluation behind a value, where those behind earlier ones were given other batches.

    What was given the result of an earlier one goes on with the same batch.
    """
    known = interp.watch.evaluated
    if not known:
        return None
    earlier = [known[key] for key in reached(before) if key in known]
    found = [known[key] for key in reached([node]) if key in known]
    new = [one for one in found if one not in earlier]
    again = {id(one.given) for one in earlier} & {id(one.given) for one in new}
    behind = reached([one.node for one in new])
    if not earlier or again or any(id(one.node) in behind for one in earlier):
        return None
    return new[-1] if new else None


def because(one: Evaluated) -> frozenset[Assumption]:
    """What an evaluation rests on: that nobody has switched grad mode off around it."""
    if one.caller is None:
        return frozenset()
    return frozenset({Assumption(Kind.GRAD_MODE_ON, one.caller, weight=0, called=True)})

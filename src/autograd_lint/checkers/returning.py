"""Losses that a function gives back without the graph they are meant to have.

Who calls the function is not known; that what it returns becomes part of a loss is assumed.
"""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import sums_in
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph_breaks import GraphBreak, GraphBreaks, joined
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.events import EntryReturned
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

GRADIENT = "grad"
REDUCING = {"mean", "sum"}
SCALING = {"mul", "rmul", "div"}
DATA = 2  # the weight of what is rather data
NUMBERS = {"item", "float"}  # by which the value of a loss is taken out


class Returning(Checker):
    """Losses that a function returns as a penalty without a graph, or as a copy."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, EntryReturned, cls.returned)

    def returned(self, interp: Interpreter, event: EntryReturned) -> None:
        """A function that nothing in its file calls has returned `result`."""
        function, result = event.function, event.result
        part = Assumption(Kind.IN_LOSS, function.name, weight=0, called=True)
        if not isinstance(result, Tensor):
            return
        because = frozenset({part})
        for graph_break in _behind(result):
            if _is_penalty(interp, function, result, graph_break):
                _note(interp, Pitfall.PENALTY_WITHOUT_GRAPH, result, graph_break, because)
            elif _is_copy(result, graph_break):
                _note(interp, Pitfall.LOSS_REBUILT, result, graph_break, because)


def _behind(result: Tensor) -> GraphBreaks:
    """The graphs that ended on the way to a result which hardly has one itself, and those of the
    gradients among the terms of a loss."""
    node = result.node
    if node is None:
        return result.graph_breaks
    terms = (one for part in sums_in([node]) for one in part.graph_breaks)
    penalties = tuple(one for one in terms if one.event.operator == GRADIENT)
    if sum(why.weight for why in node.requires) < DATA:
        return joined(result.graph_breaks, penalties)
    return joined(node.graph_breaks, penalties)


def _is_penalty(
    interp: Interpreter, function: Function, result: Tensor, graph_break: GraphBreak
) -> bool:
    """Whether a result sums up, over a batch, what was computed from gradients of its inputs.

    Gradients of parameters are rather looked at.
    """
    if graph_break.event.operator != GRADIENT or (
        result.node is None and result.requires is not None
    ):
        return False
    if result.shape != () and not _scales_a_sum(function, result, graph_break):
        return False
    inputs = [
        tensor
        for walk in interp.engine.backward.passes
        if walk.call.place == graph_break.event.place
        for tensor in walk.call.inputs or ()
    ]
    return not any(tensor.parameter for tensor in inputs)


def _scales_a_sum(function: Function, result: Tensor, graph_break: GraphBreak) -> bool:
    """Whether a product of unknown size has a sum over everything in it, taken of the gradient."""
    if (
        result.made is None
        or result.made.operator not in SCALING
        or graph_break.event.place is None
    ):
        return False
    row = graph_break.event.place.row
    calls = [node for node in ast.walk(function.node) if isinstance(node, ast.Call)]
    return any(call.lineno > row and _sums_all(call) for call in calls)


def _sums_all(call: ast.Call) -> bool:
    """`x.mean()` or `torch.mean(x)`."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in REDUCING or call.keywords:
        return False
    whole = isinstance(function.value, ast.Name) and function.value.id == "torch"
    return len(call.args) == (1 if whole else 0)


def _is_copy(result: Tensor, graph_break: GraphBreak) -> bool:
    """Whether a result is a leaf that requires grad, made of a number that a loss had been."""
    leaf = result.is_leaf and result.requires_grad is not None and not result.parameter
    return leaf and result.shape == () and graph_break.event.operator in NUMBERS


def _note(
    interp: Interpreter,
    kind: Pitfall,
    result: Tensor,
    graph_break: GraphBreak,
    because: frozenset[Assumption],
) -> None:
    place = graph_break.event.place
    if kind is Pitfall.LOSS_REBUILT:
        place = interp.state(LeafRecord).flag_places.get(id(result), place)
    note(
        interp,
        kind,
        place,
        tensor=result.name,
        operator=graph_break.event.operator,
        built=graph_break.event if kind is Pitfall.LOSS_REBUILT else None,
        assumptions=graph_break.assumptions | because,
    )

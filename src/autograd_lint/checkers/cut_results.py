"""Modules whose `forward` gives back nothing that has a graph: what they compute with is never
trained, and a loss that they compute trains nothing.

class Block(nn.Module):
    @torch.no_grad()              # or `return y.detach()`
    def forward(self, x):
        return self.linear(x)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.losses import EVALUATION, makes_loss
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE, SCALING
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Noted
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak, linked
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.facts.callers import covers
from autograd_lint.facts.trained_forwards import is_trained_by_calls
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function

CHOOSING = "set_grad_enabled"  # is told whether to record
DELIBERATE = "inference_mode"  # says what it is for


@dataclass(frozen=True, slots=True, eq=False)
class CutResult:
    """A graph that a `forward`, which stands at a place, has ended before it gave back its result;
    and the class of the module."""

    cls: Class
    place: Place
    graph_break: GraphBreak

    @property
    def event(self) -> Created:
        """What has ended it."""
        return self.graph_break.switch or self.graph_break.event


@dataclass(slots=True, eq=False, repr=False)
class CutResults(Checker):
    """The results without a graph of the modules of a run."""

    results: list[CutResult] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionLeft, cls.function_left)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function was left: was it the `forward` of a module, and has none of its result a
        graph?"""
        function, module = event.function, event.receiver
        if function.name != "forward" or not (event.finished and event.grad_enabled):
            return
        if not is_module(module) or not isinstance(module.cls, Class):
            return
        place, tensors = function.source.place(function.node), list(tensors_in(event.value))
        if any(map(linked, tensors)):
            interp.engine.backward.reached.add(place)
        elif tensors and is_trained_by_calls(module.cls.node):
            breaks = [one for tensor in tensors for one in tensor.graph_breaks]
            found = (CutResult(module.cls, place, one) for one in breaks)
            self.results += [one for one in found if _always_ends(function, one.event)]

    def end(self, interp: Interpreter) -> None:
        """The run is over: which parameters that only a harness trains are behind such results?"""
        if not self.results or interp.whole:
            return
        leaves = interp.state(LeafRecord)
        received = {id(one) for walk in interp.engine.backward.passes for one in walk.leaves()}
        wanted = {id(one) for one in leaves.harnessed if _is_own(one)} - received
        wanted -= {id(one) for one in leaves.unmoved}
        for one in self.results:
            source = one.graph_break.source
            lost = [leaf for leaf in leaves_of([source]) if id(leaf) in wanted]
            if lost:
                _note(interp, one, lost[0].name, Kind.MODULE_TRAINED)
            elif _is_loss(source) and not EVALUATION.search(one.cls.name.lower()):
                _note(interp, one, source.name, Kind.IN_LOSS)


def _is_own(leaf: Tensor) -> bool:
    """Whether a leaf is a parameter that is certainly there, and that nobody froze."""
    return leaf.parameter and leaf.requires == CERTAINLY


def _always_ends(function: Function, event: Created) -> bool:
    """Whether a graph ends in a function itself, by its decorators too, and not by choice."""
    node, place = function.node, event.place
    if place is None or place.filename != function.source.filename or isinstance(node, ast.Lambda):
        return False
    if event.operator.endswith((CHOOSING, DELIBERATE)):
        return False
    choices = (one for one in ast.walk(node) if isinstance(one, (ast.If, ast.IfExp)))
    return covers(node, place.row) and not any(covers(one, place.row) for one in choices)


def _is_loss(node: Node) -> bool:
    """Whether a graph is that of a loss: one of torch's, or a sum that has one as a term."""
    if node.operator in ADDITIVE | SCALING:
        return any(map(_is_loss, node.edges))
    return makes_loss(node.operator)


def _note(interp: Interpreter, result: CutResult, lost: str | None, kind: Kind) -> None:
    made = result.graph_break
    trained = Assumption(kind, result.cls.name, weight=0, called=True)
    note(
        interp,
        Pitfall.FORWARD_CUT,
        result.event.place,
        tensor=lost,
        operator=result.event.operator,
        built=made.source.created if made.source.leaf is None else None,
        noted=(Noted(result.place, "nothing that this returns has a graph"),),
        assumptions=frozenset({trained}),
    )

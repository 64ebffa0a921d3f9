"""Terms of a loss that are constants: their values have lost their graph, or have no derivative."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograd_lint.checkers import flat
from autograd_lint.checkers.accumulating import is_loss
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, of_callers
from autograd_lint.checkers.given_data import only_edge
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.losses import compares_constants, was_unrecorded
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.rebuilt_losses import RebuiltLosses
from autograd_lint.checkers.terms import ADDITIVE, SCALING, sums_in
from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak, GraphBreaks
from autograd_lint.engine.pitfalls import DETACHED_BEFORE, UNRECORDED, Pitfall
from autograd_lint.engine.walk import leads_to, leaves_of
from autograd_lint.facts.callers import innermost_function
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.transforms.functional_derivatives import GRADIENTS
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

DRAWING = {"sample", "multinomial", "bernoulli"}
PICKING = {"argmax", "argmin", "argsort", "max", "min", "sort", "topk"}
EXPLICIT = {"detach"}  # says itself that no gradient is wanted
_COMPARING = re.compile(r"(?:_loss|Loss|cross_entropy|kl_div)$")  # what losses are called


@dataclass(slots=True, eq=False, repr=False)
class ConstantTerms(Checker):
    """The terms of losses that were computed with grad mode off, and the backwards."""

    unrecorded: list[tuple[GraphBreak, Pass]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: of what is its loss the sum?

        What a custom Function differentiates for itself is handed on as it says.
        """
        walk = event.walk
        if not walk.call.accumulate or not walk.starts or in_custom_function(interp):
            return
        if walk.call.place is None:
            _judge_returned(interp, walk)
        elif walk is not interp.state(RebuiltLosses).last:
            for node in sums_in(walk.starts):
                _judge_terms(interp, node, walk)
                switched = (one for one in node.graph_breaks if one.switch is not None)
                self.unrecorded.extend((one, walk) for one in switched)

    def end(self, interp: Interpreter) -> None:
        """The run is over: are such terms all that is computed from what an optimizer has?"""
        if not self.unrecorded or not has_trained_alone(interp):
            return
        told = Pitfall.MODE_LEAKS in interp.state(Notes).kinds()
        passes = interp.engine.backward.passes
        if told or any(node.opaque for walk in passes for node in walk.order):
            return
        received = interp.engine.backward.received
        idle = {id(leaf) for leaf in stepped(interp)} - received - of_callers(interp)
        for graph_break, walk in self.unrecorded:
            if leads_to([graph_break.source], idle):
                _note_term(interp, graph_break, walk)


def _judge_returned(interp: Interpreter, walk: Pass) -> None:
    """What a harness trains is a loss where one of torch's own losses is a term of it."""
    sums = list(sums_in(walk.starts))
    if any(_is_loss(term) for node in sums for term in node.edges):
        for node in sums:
            _judge_terms(interp, node, walk)


def _is_loss(term: Node) -> bool:
    while term.operator in SCALING and (inner := only_edge(term)) is not None:
        term = inner
    return is_loss(term)


def _judge_terms(interp: Interpreter, node: Node, walk: Pass) -> None:
    lost = (one for one in node.graph_breaks if not flat.loses_nothing(one))
    cuts = tuple(one for one in lost if not _is_piecewise(one, walk))
    meant = any(
        _is_meant(interp, cut, node) or _is_drawn(cut, node, walk) or _is_data(cut, walk)
        for cut in cuts
    )
    compared = bool(cuts) and compares_constants(interp, cuts)
    sloped = tuple(one for one in cuts if not one.chooses)  # what only counts choices has no slope
    live = next((one for one in sloped if one.source.edges and one.source in walk.order), None)
    if live is not None and (was_unrecorded(interp, sloped) or _is_only_added(sloped, node, walk)):
        _note_term(interp, live, walk, UNRECORDED)
    elif cuts and (not meant or compared):
        before = cuts[0].event.operator == "detach" and not compared
        _note_term(interp, cuts[0], walk, DETACHED_BEFORE if before else "")
    if len(node.edges) < 2:
        return
    for target in node.edges:
        barrier = flat.barrier(target)
        scaled = _scaled_gradient(target)
        if scaled is not None:
            number = Assumption(Kind.IS_DATA, target.edges[0].operator, weight=Prior.USUAL)
            _note_term(interp, scaled, walk, because=frozenset({number}))
        others = [other for other in node.edges if other is not target]
        if barrier is not None and not any(flat.makes_up(other, barrier) for other in others):
            flat.note_term(interp, barrier, walk)


def _scaled_gradient(term: Node) -> GraphBreak | None:
    """The gradient without a graph of which a term is made, scaled by what is a number as a rule:
    `penalty * config["weight"]`."""
    if term.operator not in SCALING or len(term.edges) != 1 or not term.edges[0].perhaps_number:
        return None
    return next((one for one in term.graph_breaks if one.event.operator in GRADIENTS), None)


def is_deliberate(graph_break: GraphBreak, term: Node | None = None) -> bool:
    """Whether a cut is meant: `surrogate - surrogate.item()` takes the value of a term out, and
    `hard - soft.data + soft` is a term with the gradient of `soft`."""
    if term is not None and graph_break.source in term.edges:
        return graph_break.event.operator != "grad"
    return graph_break.event.operator in EXPLICIT or graph_break.switch is not None


def _is_only_added(cuts: GraphBreaks, term: Node, walk: Pass) -> bool:
    """Whether what was computed with grad mode off is nothing but a term: who takes a largest value
    out of an exponential adds it again, and its gradient is zero."""
    own = {id(cut) for cut in cuts}
    elsewhere = (node.graph_breaks for node in walk.order if node is not term)
    return all(cut.switch is not None for cut in cuts) and not any(
        id(one) in own for breaks in elsewhere for one in breaks
    )


def _is_meant(interp: Interpreter, cut: GraphBreak, term: Node) -> bool:
    """Whether a term of a loss is cut on purpose: not where another function has detached it, which
    does not know that it is one."""
    if cut.event.operator != "detach" or cut.switch is not None or cut.source in term.edges:
        return is_deliberate(cut, term)
    at, added = cut.event.place, term.place
    return at is None or added is None or not _in_another_function(interp.source, at, added)


def _is_data(cut: GraphBreak, walk: Pass) -> bool:
    """Whether a layer or a product of the loss computes with what was detached as well: there it is
    data, such as what a sampler has found, and is so in a term that is made of nothing else."""
    return cut.event.operator == "detach" and any(
        node.operator not in ADDITIVE and cut in node.graph_breaks for node in walk.order
    )


def _in_another_function(source: Source, one: Place, other: Place) -> bool:
    """Whether two places stand in different functions; those of a file that does not run are not
    looked at."""
    if one.filename != other.filename:
        return True
    if one.filename != source.filename:
        return False
    first = innermost_function(source, one.row)
    return first is not innermost_function(source, other.row)


def _is_piecewise(graph_break: GraphBreak, walk: Pass) -> bool:
    """Whether a term is a constant chosen by a value that the loss differentiates elsewhere: the
    slope of a leaky ReLU, in the determinant of a flow, has no other gradient. A class that was
    picked is no such value."""
    if not graph_break.chooses or graph_break.event.operator in PICKING:
        return False
    return any(node is graph_break.source for node in walk.order)


def _is_drawn(graph_break: GraphBreak, term: Node, walk: Pass) -> bool:
    """Whether a sample was drawn, and what it was drawn from is trained by its probability."""
    if graph_break.event.operator not in DRAWING:
        return False
    received = {id(leaf) for leaf in walk.leaves()}
    trained = all(id(leaf) in received for leaf in leaves_of([graph_break.source]))
    return trained and (
        graph_break.event.operator != "sample" or _is_scored(graph_break, term, walk)
    )


def _is_scored(graph_break: GraphBreak, term: Node, walk: Pass) -> bool:
    """Whether a loss may hold the probability of a sample: a logarithm, or what compares it."""
    return any(
        node.opaque
        or "log" in node.operator
        or is_loss(node)
        or (node is not term and graph_break in node.graph_breaks)
        for node in walk.order
    )


def _for_graph(graph_break: GraphBreak) -> frozenset[Assumption]:
    """What must hold for what was cut to have a graph: the prediction that a loss compares has one,
    though it is a part of what unknown code returns."""
    if _COMPARING.search(graph_break.source.operator) is None:
        return graph_break.assumptions
    return frozenset(
        why.as_of_term() if why.kind is Kind.REQUIRES_GRAD and not why.given else why
        for why in graph_break.assumptions
    )


def _note_term(
    interp: Interpreter,
    graph_break: GraphBreak,
    walk: Pass,
    detail: str = "",
    because: frozenset[Assumption] = frozenset(),
) -> None:
    event = graph_break.switch or graph_break.event
    penalty = event.operator in GRADIENTS
    note(
        interp,
        Pitfall.PENALTY_WITHOUT_GRAPH if penalty else Pitfall.CONSTANT_TERM,
        event.place,
        tensor=graph_break.source.name,
        operator=event.operator,
        detail=detail,
        built=graph_break.source.created if graph_break.source.leaf is None else None,
        needed=Needed(walk.call.place, walk.call.name) if walk.call.place else None,
        assumptions=_for_graph(graph_break) | walk.call.assumptions | because,
    )

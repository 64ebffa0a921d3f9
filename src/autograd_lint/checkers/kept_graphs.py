"""Telling of graphs that are kept, and what must hold for that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autograd_lint.checkers import batches, surroundings
from autograd_lint.checkers.batches import Evaluation, Evaluations
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, Noted
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import EVALUATED, Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Mapping, Value


def note_kept(
    interp: Interpreter,
    place: Place | None,
    name: str | None,
    where: str,
    graph: Node,
    freed: frozenset[Assumption] = CERTAINLY,
    unproven: frozenset[Assumption] = CERTAINLY,
    value: Value = None,
    stored: Place | None = None,
    called: Place | None = None,
) -> None:
    """Tell of a graph that `value` holds; `unproven` is what must hold for it to be there.

    `stored` is where it is put into its container, if that is in another function, `called` the
    call in a training step by which it is.
    """
    if _is_told(interp, place, graph):
        note(
            interp,
            Pitfall.GRAPH_KEPT,
            place,
            tensor=name,
            operator=where,
            built=graph.created,
            assumptions=_because(interp, graph.requires, freed) | unproven,
            noted=(
                *put_in(value, graph),
                *_at(stored, place, "kept here"),
                *_at(called, place, "called here in each step"),
            ),
        )


def put_in(value: Value, graph: Node) -> Iterator[Noted]:
    """Where a graph was put into a dictionary, or one inside of it."""
    if not isinstance(value, Mapping):
        return
    for key, one in value.entries.items():
        if isinstance(one, Mapping):
            yield from put_in(one, graph)
        elif isinstance(one, Tensor) and one.node is graph and key in value.written:
            source, node = value.written[key]
            yield Noted(source.place(node), "put into the dictionary here")


def _at(place: Place | None, told: Place | None, what: str) -> Iterator[Noted]:
    if place is not None and place != told:
        yield Noted(place, what)


def note_evaluated(
    interp: Interpreter,
    place: Place | None,
    name: str | None,
    where: str,
    graph: Node,
    evaluation: Evaluation,
) -> None:
    """Tell of a graph that an evaluation with grad mode on has built."""
    if _is_told(interp, place, graph):
        note(
            interp,
            Pitfall.GRAPH_KEPT,
            place,
            tensor=name,
            operator=where,
            detail=EVALUATED,
            built=Created(evaluation.place, "eval"),
            assumptions=_because(interp, graph.requires, batches.because(evaluation)),
        )


def _is_told(interp: Interpreter, place: Place | None, graph: Node) -> bool:
    """Whether what keeps a graph grows there; then the graph is one that is kept."""
    grows = surroundings.grows(interp, place)
    if grows:
        interp.state(Evaluations).kept.append(graph)
    return grows


def _because(
    interp: Interpreter, requires: frozenset[Assumption], freed: frozenset[Assumption]
) -> frozenset[Assumption]:
    """What must hold for a graph to be there, and to be freed.

    Who calls `backward` of something has it require grad, and gets its graph walked: what the
    program itself shows needs no courage.
    """
    if requires <= interp.engine.assumed.proofs:
        return requires | freed
    roots = [
        root
        for walk in interp.engine.backward.passes
        if walk.call.place
        for root in walk.call.roots
    ]
    alone = [root.requires_grad for root in roots if len(root.requires_grad or ()) == 1]
    shown = frozenset[Assumption]().union(*(why for why in alone if why is not None))
    if not requires or not requires <= shown:
        return requires | freed
    plain = frozenset(replace(why, weight=0) for why in requires)
    return plain | {why for why in freed - requires if not why.weight}

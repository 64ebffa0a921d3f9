"""Losses that torch computes of what has lost its graph before: nothing is trained by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak, GraphBreaks, linked
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun, ResultTrained
from autograd_lint.libraries.torch.tensors.factories import COPYING
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import EntryReturned
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Value

EVALUATION = re.compile(r"(?:^|_)(?:eval|valid|val|test|metric|score)")
COMPARISONS = {"sub", "cosine_similarity", "pairwise_distance", "dist", "cdist"}
_LOSSES = re.compile(r"_loss$|Loss$|cross_entropy|^kl_div$")


@lru_cache(1_000)
def makes_loss(operator: str) -> bool:
    """Whether an operator is one of torch's losses."""
    return _LOSSES.search(operator) is not None


def _compares(operator: str) -> bool:
    return operator in COMPARISONS or makes_loss(operator)


@dataclass(slots=True, eq=False, repr=False)
class GraphlessLosses(Listener):
    """The losses that were computed with grad mode on, of what has no graph any more.

    `comparisons` are those of what grad modes have left without one, the first step of a loss that
    is written out. `unrecorded` are the losses that were computed with grad mode off.
    """

    graphless: list[Tensor] = field(default_factory=list)
    unrecorded: list[Tensor] = field(default_factory=list)
    comparisons: list[Tensor] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.computed, only=_compares)

    def computed(self, interp: Interpreter, event: OperatorRun) -> None:
        """A loss was computed: did anything that it compares have a graph?"""
        operation = event.operation
        if not interp.engine.recording:
            if makes_loss(operation.operator):
                self.unrecorded.extend(filter(_has_lost_graph, event.results))
        elif makes_loss(operation.operator):
            self.graphless.extend(filter(_has_lost_graph, event.results))
        elif len(operation.tensors()) == 2:
            self.comparisons.extend(filter(_is_unrecorded, event.results))


@dataclass(slots=True, eq=False, repr=False)
class UnrecordedLosses(Checker):
    """Losses without a graph that a function gives back, to be trained by whoever calls it."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, EntryReturned, cls.entry_returned)
        to.add(cls, ResultTrained, cls.result_trained)

    def entry_returned(self, interp: Interpreter, event: EntryReturned) -> None:
        """A function gives a loss back: what if it becomes part of one that is trained?"""
        part = Assumption(Kind.IN_LOSS, event.function.name, weight=0, called=True)
        self._returned(interp, event.function, event.result, part, modes=False)

    def result_trained(self, interp: Interpreter, event: ResultTrained) -> None:
        """A training step gives a loss back."""
        self._returned(interp, event.function, event.result, event.because, modes=True)

    def _returned(
        self,
        interp: Interpreter,
        function: Function,
        result: Value,
        because: Assumption,
        *,
        modes: bool,
    ) -> None:
        """A function gives a loss back: what if it is to train what its arguments come from?

        `modes` says that grad modes count as well, for nobody returns only the values of a loss.
        """
        if EVALUATION.search(function.name):
            return
        given = {id(one) for tensor in tensors_in(result) for one in tensor.graph_breaks}
        for loss in interp.state(GraphlessLosses).graphless:
            for graph_break in loss.graph_breaks:
                if id(graph_break) in given and (modes or graph_break.switch is None):
                    _judge(interp, graph_break, because)


def compares_constants(interp: Interpreter, breaks: GraphBreaks) -> bool:
    """Whether all these graph breaks are those behind losses that have nothing to differentiate.

    Who detaches one side of a comparison means it; who adds a loss of two constants does not.
    """
    state = interp.state(GraphlessLosses)
    return _are_behind(breaks, [*state.graphless, *state.comparisons])


def was_unrecorded(interp: Interpreter, breaks: GraphBreaks) -> bool:
    """Whether all these graph breaks are those behind losses that were computed with grad mode off.

    One that is added to a loss whose backward goes through what it was computed from was to have
    a gradient.
    """
    return _are_behind(breaks, interp.state(GraphlessLosses).unrecorded)


def _are_behind(breaks: GraphBreaks, losses: list[Tensor]) -> bool:
    known = {id(one) for loss in losses for one in loss.graph_breaks}
    return all(id(one) in known for one in breaks)


def _has_lost_graph(result: Tensor) -> bool:
    return bool(result.graph_breaks) and not linked(result)


def _is_unrecorded(result: Tensor) -> bool:
    switched = all(one.switch is not None for one in result.graph_breaks)
    return switched and _has_lost_graph(result)


def _judge(interp: Interpreter, graph_break: GraphBreak, because: Assumption) -> None:
    for event in _undeliberate(graph_break):
        note(
            interp,
            Pitfall.UNRECORDED_LOSS,
            event.place,
            tensor=_name_of(graph_break.source),
            operator=event.operator,
            assumptions=graph_break.assumptions | {because},
        )


def _undeliberate(graph_break: GraphBreak) -> Iterator[Created]:
    """Where a graph ended by a copy or a grad mode; who detaches means it."""
    if graph_break.switch is not None:
        yield graph_break.switch
    elif graph_break.event.operator == COPYING:
        yield graph_break.event


def _name_of(source: Node) -> str | None:
    """What the program calls what lost its graph."""
    leaf = source.leaf.name if source.leaf is not None else None
    return source.name or leaf or (source.operator if source.opaque else None)

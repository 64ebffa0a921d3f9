"""Evaluations with grad mode on: graphs of modules in evaluation mode that no backward walks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers import batches, surroundings
from autograd_lint.checkers.batches import Evaluation, Evaluations
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import ONLY_READ, Pitfall
from autograd_lint.engine.walk import reached
from autograd_lint.libraries.torch.events import BackwardCalled
from autograd_lint.vm.contents import elements, tensors_in
from autograd_lint.vm.events import EntryReturned
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown, Value

SWITCH = ("attribute", "requires_grad_")  # how an unknown keeps that the program has called it
Where = tuple[str, str] | None  # the file and name of a function; None: the body of the module


@dataclass(slots=True, eq=False, repr=False)
class EvaluationGraphs(Checker):
    """The first evaluation of each function, and of the loops of a script, is told.

    `returned` are the nodes of what functions without a caller return with its graph: who calls
    them may differentiate it. `training` are such functions that run backward themselves: nobody
    has switched grad mode off around them.
    """

    returned: list[Node] = field(default_factory=list)
    training: set[str | None] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, EntryReturned, cls.entry_returned)
        to.add(cls, BackwardCalled, cls.backward_called)

    def backward_called(self, interp: Interpreter, event: BackwardCalled) -> None:
        """A function, or one that it calls, runs backward."""
        self.training.add(interp.called_by_nobody)

    def entry_returned(self, interp: Interpreter, event: EntryReturned) -> None:
        """A function that nothing calls has returned."""
        nodes = [graph_of(event.result), *(one.node for one in tensors_in(event.result))]
        self.returned.extend(node for node in nodes if node is not None)

    def end(self, interp: Interpreter) -> None:
        unsure = interp.opaque_backward
        first: dict[Where, Evaluation] = {}
        known = interp.state(Evaluations).known
        walked = [one for one in known.values() if one.node.walked_at]
        interp.engine.backward.reached.update(one.place for one in walked)
        returned, held = reached(self.returned), reached(interp.state(Evaluations).held)
        trained = {one.place for one in walked}
        for one in (one for one in _unwalked(interp) if id(one.node) not in returned):
            meant = one.made is not None or not (id(one.node) in held or one.place in trained)
            if meant and (one.over or not unsure):
                first.setdefault(_where(one), one)
        kept = _kept(interp)
        for where, one in first.items():
            if where not in kept:
                note(
                    interp,
                    Pitfall.EVALUATION_BUILDS_GRAPHS,
                    one.place,
                    detail=ONLY_READ if one.made is None else "",
                    built=one.made,
                    assumptions=one.node.requires | self._because(one),
                )

    def _because(self, one: Evaluation) -> frozenset[Assumption]:
        """What it rests on that grad mode is on where an evaluation runs."""
        because = batches.because(one)
        if one.caller not in self.training:
            return because
        return frozenset(each for each in because if each.kind is Kind.MEANT_AS_EVALUATION)


def _unwalked(interp: Interpreter) -> Iterator[Evaluation]:
    """The evaluations that no backward reached; one that runs once in a script costs nothing, nor
    does trying a module out. What a method of a module gives is wanted where that of one of its
    parts is."""
    asked = {id(node) for node in _asked_for(interp.engine.backward.passes)}
    evaluations = interp.state(Evaluations)
    known, differentiated = evaluations.known.values(), reached(evaluations.differentiated)
    wanted = {
        one
        for one in known
        if one.node.walked_at
        or id(one.node) in differentiated
        or id(one.node) in asked
        or _asks_for_input(one)
    }
    methods = {id(one.method) for one in wanted if one.method}
    for one in known:
        again = one.function is not None or surroundings.is_in_loop(interp, one.place)
        needless = one not in wanted and id(one.method) not in methods
        if again and not one.tried and one.itself and needless:
            yield one


def _asked_for(passes: Iterable[Pass]) -> Iterator[Node]:
    """The nodes of results whose gradients were asked for: a backward ends at them."""
    for walk in passes:
        yield from (one.node for one in walk.call.inputs or () if one.node is not None)


def _asks_for_input(one: Evaluation) -> bool:
    """Whether the input is a leaf that the program makes require grad: its gradient is wanted."""
    given = tensors_in(one.given)
    leaves = (tensor.is_leaf and tensor.requires_grad == frozenset() for tensor in given)
    return any(leaves) or any(map(_is_switched_on, elements(one.given)))


def _is_switched_on(value: Value) -> bool:
    """Whether the program has something unknown require grad."""
    if not isinstance(value, Unknown):
        return False
    kept = value.attributes
    return kept.get(("attribute", "requires_grad")) is True or SWITCH in kept


def _kept(interp: Interpreter) -> set[Where]:
    """Where it is told already that graphs of evaluations are kept: that is the mistake there."""
    evaluations = interp.state(Evaluations)
    behind = reached(evaluations.kept)
    return {_where(one) for key, one in evaluations.known.items() if key in behind}


def _where(one: Evaluation) -> Where:
    return (one.function.source.filename, one.function.name) if one.function else None

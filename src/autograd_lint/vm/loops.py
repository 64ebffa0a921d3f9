"""Loops: run until nothing new can happen."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.vm.assignment import assign
from autograd_lint.vm.control import BreakLoop, ContinueLoop
from autograd_lint.vm.events import LoopCutShort
from autograd_lint.vm.grad_modes import handed_out
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.iteration import LONGEST, begin_iteration, iterate
from autograd_lint.vm.last_iterations import Outcomes, outcomes, way_out
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import Waiting
from autograd_lint.vm.truth import known_truth
from autograd_lint.vm.unlike_elements import unlike_elements
from autograd_lint.vm.unseen_iterations import repeat_for_others, with_gradients
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value
from autograd_lint.vm.waiting import (
    SHARE,
    goes_on_waiting,
    goes_over_objects,
    names_in,
    rounds_ahead,
    skipped_to,
    waiting,
)

ROUNDS = 2
COSTLY = 100  # steps after which a loop over known elements is cut short like any other
COSTLY_UNRECORDED = 4_000  # the same of one in which no operator is recorded
FLAGGING = frozenset({"requires_grad", "requires_grad_"})
TEXTUAL = frozenset({"startswith", "endswith", "split", "lower"})
ROUNDS_WITH_BACKWARD = 3  # a weight saved in the second round is overwritten before the third


def run_for(interp: Interpreter, node: ast.For | ast.AsyncFor) -> None:
    """`for`: every element of a short known sequence, a few rounds of any other."""
    way = _way(interp, node)
    again = way in interp.record.trained
    with waiting(interp, again=again) as awaited:
        _run_for(interp, node, awaited, way, again)


def _run_for(
    interp: Interpreter,
    node: ast.For | ast.AsyncFor,
    awaited: Waiting,
    way: tuple[ast.AST, ...],
    again: bool,
) -> None:
    sequence = _iterator(interp, interp.evaluate(node.iter), node)
    if _is_empty(sequence) and node in interp.world.passed:
        sequence = Unknown(interp.text(node.iter))  # it was not: the program was in the loop
    if isinstance(sequence, Items):
        if _is_empty(sequence) and _is_given(interp, node.iter):
            weight = 1 if all(_hands_over(one, node.target) for one in node.body) else 2
            interp.engine.passed_over(interp.text(node.iter), weight)
        begin_iteration(interp, sequence, node.iter, node)
    if goes_over_objects(sequence):
        interp.record.waiting = awaited.around
    iteration = iterate(interp, sequence, node.iter)
    few = ROUNDS if again else rounds(interp, node)
    limit, trained = LONGEST, len(interp.record.trained)
    known = len(sequence.items) if isinstance(sequence, Items) and _is_plain(node) else None
    if known is not None and known <= LONGEST:
        few = max(few, known + 1)  # each of those that are known
    before, grown = _Before.of(interp, sequence), len(interp.record.grown)
    decided = len(interp.choices.path.decisions)
    uncounted = isinstance(sequence, Items) and sequence.uncounted
    renews = isinstance(sequence, Mapping) and _renews_entries(node)
    last, others = outcomes(node)
    limit = max(limit, iteration.known) if iteration.complete else limit
    values = list(iteration.few(limit)) if last and iteration.complete else iteration.few(limit)
    final = len(values) if isinstance(values, list) else limit
    for count, value in enumerate(values):
        each = renews or not before.is_recorded(interp)
        is_known = iteration.complete or (each and count < iteration.known)
        if count >= few and not _goes_on(interp, is_known, before, count, again):
            _skip_ahead(interp, node, awaited, before.steps, sequence, value)
            _run_unlike(interp, node, sequence, count)
            _cut_short(interp, node, sequence, grown, count, before)
            if few == ROUNDS_WITH_BACKWARD or len(interp.record.trained) > trained:
                interp.record.trained.add(way)
            _left_undone(interp, node, grown)
            break
        awaited.done = count
        is_last = count + 1 >= (final if iteration.complete else max(few, awaited.until))
        with _again(interp, node, sequence) if uncounted and count else nullcontext():
            assign(interp, node.target, value)
            with handed_out(interp, sequence, node):
                goes_on = _told(interp, node.body, last if is_last else others)
            if not goes_on:
                _more(interp, grown, decided)
                return
        if len(interp.record.trained) > trained:
            few = min(few, ROUNDS)  # a loop in this one has shown what its rounds do to each other
    else:
        if not iteration.complete:
            _run_unlike(interp, node, sequence, limit)
            _cut_short(interp, node, sequence, grown, limit, before)
            _left_undone(interp, node, grown)
    interp.run_block(node.orelse)


@query
def _renews_entries(node: ast.AST) -> bool:
    """Whether a loop over a dictionary puts something else under its keys: each of them counts."""
    if not isinstance(node, (ast.For, ast.AsyncFor)):
        return False
    parts = [part for one in node.body for part in walk(one)]
    stored = (one for one in parts if isinstance(one, ast.Subscript))
    entry = f"{ast.unparse(node.iter)}[{ast.unparse(node.target)}]"
    return any(isinstance(one.ctx, ast.Store) and ast.unparse(one) == entry for one in stored)


def _way(interp: Interpreter, node: ast.AST) -> tuple[ast.AST, ...]:
    """A loop, and the calls by which the program has come to it: in a later round of a loop around
    it these are the same, and it has shown all that its rounds do to each other. Two more show what
    they do to what has come between."""
    calls = (frame.call.node for frame in interp.frames if frame.call is not None)
    return (node, *calls)


def _is_empty(sequence: Value) -> bool:
    return isinstance(sequence, Items) and not sequence.items and sequence.closed


@query
def _is_plain(node: ast.AST) -> bool:
    """Whether a loop only sets things, without calls or loops: that is cheap. Flags of parameters
    may be set on conditions, which ask for their names."""
    body = node.body if isinstance(node, (ast.For, ast.AsyncFor)) else []
    parts = [part for one in body for part in walk(one)]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    if any(isinstance(part, ast.Attribute) and part.attr in FLAGGING for part in parts):
        own = FLAGGING | TEXTUAL
        return all(isinstance(one.func, ast.Attribute) and one.func.attr in own for one in calls)
    return not calls and all(isinstance(one, (ast.Assign, ast.AugAssign)) for one in body)


def _hands_over(statement: ast.stmt, element: ast.expr) -> bool:
    """Whether a statement only calls the element of a loop, or something with it, and no more."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Name):
        return True
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in names_in(element)


def _again(
    interp: Interpreter, node: ast.stmt, sequence: Value = None
) -> AbstractContextManager[None]:
    """What a second round rests on, where nothing tells that there is one."""
    weight = 2 if isinstance(sequence, Items) and sequence.single else 0
    again = Assumption(Kind.ITERATED_AGAIN, detail=str(node.lineno), weight=weight)
    return interp.engine.supposing(again)


@dataclass(frozen=True, slots=True)
class _Before:
    """The steps, the engine's clock and the number of backward passes before a loop, and what it
    goes over that has a gradient by then."""

    steps: int
    clock: int
    passes: int
    filled: tuple[Tensor, ...]

    @classmethod
    def of(cls, interp: Interpreter, sequence: Value = None) -> _Before:
        engine = interp.engine
        passes = len(engine.backward.passes)
        filled = with_gradients(sequence) if passes else ()
        return cls(interp.budget.steps, engine.clock, passes, filled)

    def is_recorded(self, interp: Interpreter) -> bool:
        """Whether the engine has recorded anything since."""
        return interp.engine.clock > self.clock


def _goes_on(
    interp: Interpreter, complete: bool, before: _Before, count: int, again: bool = False
) -> bool:
    """Whether a loop that was taken `count` times is taken once more.

    It is where a condition waits for a later round: one over known elements to its end. These go on
    while it costs little, too; any other where each of the first rounds was one training step, also
    one that the text of the loop does not show, unless the program has come to it `again`.
    """
    if goes_on_waiting(interp, 0 if complete else count, before.steps):
        return True
    if complete:
        limit = COSTLY if before.is_recorded(interp) else COSTLY_UNRECORDED
        return interp.budget.steps - before.steps <= limit
    if again or count >= ROUNDS_WITH_BACKWARD:
        return False
    places = [walk.call.place for walk in interp.engine.backward.passes[before.passes :]]
    return None not in places and len(places) == count * len(set(places)) > 0


def _is_given(interp: Interpreter, node: ast.expr) -> bool:
    """Whether an expression speaks of what the function that runs is given, or of its object.

    The model of a library goes over nothing where the program gives the library nothing.
    """
    function = interp.frame.function
    if function is None or function.source.stands_for:
        return False
    parameters = function.node.args
    names = {one.arg for one in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)}
    return any(isinstance(part, ast.Name) and part.id in names for part in walk(node))


def _skip_ahead(
    interp: Interpreter,
    node: ast.For | ast.AsyncFor | ast.While,
    awaited: Waiting,
    start: int,
    sequence: Value = None,
    value: Value = None,
) -> None:
    """Run the rounds in which a counter has come to a number that conditions compare it with; a
    `for` goes over `sequence`, which gives `value` there."""
    target = None if isinstance(node, ast.While) else node.target
    for there in rounds_ahead(awaited, sequence, target):
        if (interp.budget.steps - start) * SHARE > interp.budget.limit:
            return
        if target is not None:
            assign(interp, target, value)
        with skipped_to(awaited, there), _again(interp, node):
            if not _round(interp, node.body):
                return


def _run_unlike(
    interp: Interpreter, node: ast.For | ast.AsyncFor, sequence: Value, count: int
) -> None:
    """Run a round for each class of objects that none of the first `count` elements has."""
    start = interp.budget.steps
    for value in unlike_elements(node, sequence, count):
        if (interp.budget.steps - start) * SHARE > interp.budget.limit:
            return
        assign(interp, node.target, value)
        if not _round(interp, node.body):
            return


def _cut_short(
    interp: Interpreter, loop: ast.stmt, sequence: Value, grown: int, count: int, before: _Before
) -> None:
    """Further rounds would do what `count` of them did: drop gradients, freeze parameters, add to
    lists that have `grown` since, and use what the backwards `before` and those since have left."""
    interp.record.cut_short += 1
    interp.engine.cut_short()
    interp.emit(LoopCutShort(loop, before.passes))
    repeat_for_others(interp.engine, loop, sequence, count, before.filled)
    for items in interp.record.grown[grown:]:
        items.partial = True


def _left_undone(interp: Interpreter, node: ast.AST, grown: int) -> None:
    """A loop is cut short: what it adds to on a condition that no round so far has met may get
    elements yet."""
    met = {id(items) for items in interp.record.grown[grown:]}
    for name in _added_to(node):
        items = interp.frame.scope.lookup(name)
        if isinstance(items, Items) and items.kind in ("list", "set") and id(items) not in met:
            interp.changes(items)
            items.rest = items.rest or Unknown(f"an element of {name}", weight=2)


@query
def _added_to(loop: ast.AST) -> frozenset[str]:
    """The names of the lists and sets to which the code of a loop adds."""
    methods = [part.func for part in walk(loop) if isinstance(part, ast.Call)]
    owners = [
        part.value
        for part in methods
        if isinstance(part, ast.Attribute)
        and part.attr in ("append", "extend", "insert", "add", "update")
    ]
    return frozenset(owner.id for owner in owners if isinstance(owner, ast.Name))


def _more(interp: Interpreter, grown: int, decided: int) -> None:
    """A loop is left early: where a decision of the path led there, it may have gone on, and have
    added more to the lists that have `grown` since."""
    if len(interp.choices.path.decisions) > decided:
        for items in interp.record.grown[grown:]:
            items.partial = True


def _iterator(interp: Interpreter, value: Value, node: ast.For | ast.AsyncFor) -> Value:
    """What the `__iter__` of an object yields, where it is a generator."""
    if not isinstance(value, Instance) or not has_method(value, "__iter__"):
        return value
    made = call_method(interp, value, "__iter__", [], node.iter)
    return made if isinstance(made, Items) else value


def run_while(interp: Interpreter, node: ast.While) -> None:
    """`while`: as long as the condition is known to hold, a few rounds where it is not known."""
    with waiting(interp) as awaited:
        _run_while(interp, node, awaited)


def _run_while(interp: Interpreter, node: ast.While, awaited: Waiting) -> None:
    enough, unknown = rounds(interp, node), 0
    grown, decided = len(interp.record.grown), len(interp.choices.path.decisions)
    before = _Before.of(interp)
    for count in range(LONGEST + 1):
        awaited.done = count
        holds = _holds(interp, interp.evaluate(node.test))
        if holds is False and (count or node not in interp.world.passed):
            break
        endless = holds is None or isinstance(node.test, ast.Constant)
        decides = holds is None or len(interp.choices.path.decisions) > decided
        known = not decides and not before.is_recorded(interp)
        seen = endless and unknown >= enough and not _goes_on(interp, known, before, count)
        unknown += endless
        if seen or count == LONGEST:
            _skip_ahead(interp, node, awaited, before.steps)
            _cut_short(interp, node, None, grown, count, before)
            if out := way_out(node):
                _told(interp, node.body, out)
            return
        with _again(interp, node) if holds is None and count else nullcontext():
            if not _round(interp, node.body):
                _more(interp, grown, decided)
                return
    interp.run_block(node.orelse)


def _holds(interp: Interpreter, condition: Value) -> bool | None:
    """Whether the condition of a loop is known; what the path has found to be false ends it."""
    known = known_truth(condition)
    if known is None and isinstance(condition, Unknown):
        known = False if interp.choices.decided(condition) is False else None
    return known


def _told(interp: Interpreter, body: list[ast.stmt], outcomes: Outcomes) -> bool:
    """Run a round of which it is known what some comparisons come to."""
    frame = interp.frame
    before, frame.told = frame.told, {**frame.told, **outcomes} if outcomes else frame.told
    try:
        return _round(interp, body)
    finally:
        frame.told = before


def _round(interp: Interpreter, body: list[ast.stmt]) -> bool:
    """Run the body once; False when it left the loop."""
    try:
        interp.run_block(body)
    except ContinueLoop:
        return True
    except BreakLoop:
        return False
    return True


def rounds(interp: Interpreter, node: ast.AST) -> int:
    """How many rounds of a loop of unknown length show all that can happen."""
    return ROUNDS_WITH_BACKWARD if interp.world.relevance.trains_in(interp.source, node) else ROUNDS

"""Conditions that only a later round of a loop meets: the end of a window of accumulated batches,
the epoch in which a part of a model is frozen.

A round that is near is waited for. What comes to be in one that is far (`if step == 5_000`) is run
as well: the rounds before it do what the first ones did, and are skipped.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from contextlib import contextmanager

from autograd_lint.project.code import last_name, length_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import content_of
from autograd_lint.vm.record import Waiting
from autograd_lint.vm.values import DEFAULT, Instance, Items, Unknown, Value

FAR = 16  # rounds that are waited for at most
WINDOWS = 3  # that show what becomes of gradients from one to the next
SHORTEST = 2  # rounds, of a window whose length is not known
SHARE = 4  # of the steps of a run that a loop may take where a condition waits for a later round
AFTER = 2  # rounds in which it shows what a condition has changed
SKIPS = 2  # far rounds that a loop skips to
THERE = 3  # rounds that are run there: what one keeps the next ones add to
_LATER = (ast.Eq, ast.Gt, ast.GtE)
_COMPARING = {
    ast.Eq: operator.eq,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
_TELLING = re.compile(r"print|log|info|debug|write|scalar|format|append|item|save|time")


@contextmanager
def waiting(interp: Interpreter, *, again: bool = False) -> Iterator[Waiting]:
    """A loop of which each condition may wait for a round of its own; where the program has come to
    it `again`, what windows do to each other has been seen, and one of them is enough."""
    windows = 1 if again else WINDOWS
    before = interp.record.waiting
    ahead = before.ahead if before is not None else {}
    own = interp.record.waiting = Waiting(windows, ahead=ahead, around=before)
    try:
        yield own
    finally:
        interp.record.waiting = before
        if before is not None and not own.skipped:
            before.far |= {one: bound for one, bound in own.far.items() if _outlasts(one.left)}


def goes_over_objects(sequence: Value) -> bool:
    """Whether a loop goes over objects of the program, as over its callbacks: it counts nothing,
    and what waits in it waits for a round of the loop around it."""
    if not isinstance(sequence, Items) or not (sequence.closed and sequence.items):
        return False
    return all(isinstance(one, Instance) for one in sequence.items)


def known_ahead(interp: Interpreter, comparison: ast.AST, outcome: Value) -> Value:
    """What a comparison comes to, in a round that the program has skipped to."""
    waiting = interp.record.waiting
    return waiting.ahead.get(comparison, outcome) if waiting is not None else outcome


def goes_on_waiting(interp: Interpreter, count: int, start: int) -> bool:
    """Whether a condition waits for a round that comes after `count` of them, and is not far.

    `start` are the steps of the run before the loop.
    """
    waiting, cost = interp.record.waiting, interp.budget.steps - start
    return waiting is not None and count < waiting.until and cost * SHARE <= interp.budget.limit


def await_round(interp: Interpreter, node: ast.If) -> None:
    """Note how many rounds it takes until the condition of an `if` that does something is met."""
    waiting = interp.record.waiting
    if waiting is None or node in waiting.asked:
        return
    waiting.asked.add(node)
    waiting.far |= _far(interp, node)
    periods, bounds = _counted(node)
    function = interp.frame.function
    if function is not None:
        periods = (*periods, *_periods_of_names(node.test, function.node))
    if not (periods or bounds) or not _does_something(interp, node):
        return
    rounds = [waiting.windows * period_of(interp.evaluate(part)) for part in periods]
    reached = [interp.evaluate(part) for part in bounds]
    rounds += [one + AFTER for one in reached if isinstance(one, int) and one <= FAR]
    waiting.until = max([waiting.until, *(waiting.done + number for number in rounds)])


def _outlasts(node: ast.expr) -> bool:
    """Whether what is counted goes on where a loop is run again: an attribute, or the length of a
    list, which a loop around it lets grow further."""
    return length_of(node) is not None or isinstance(node, ast.Attribute)


def rounds_ahead(
    waiting: Waiting, sequence: Value, target: ast.expr | None = None
) -> Iterator[dict[ast.AST, bool]]:
    """What the comparisons that wait for a far round of a loop come to there, and in the rounds
    after it; `sequence` is what the loop goes over, `target` what it assigns to.

    A loop over known elements has no such round of its own counter.
    """
    if not waiting.far:
        return
    waiting.skipped = True
    known = isinstance(sequence, Items) and sequence.closed
    own = names_in(target) if known and target is not None else set()
    far = {one: bound for one, bound in waiting.far.items() if own.isdisjoint(names_in(one.left))}
    for first in sorted({_changes(one, bound) for one, bound in far.items()})[:SKIPS]:
        for count in range(first, first + THERE):
            yield {
                one: _COMPARING[type(one.ops[0])](count + _added(one), bound)
                for one, bound in far.items()
            }


def _changes(comparison: ast.Compare, bound: int) -> int:
    """The first number of a counter for which a comparison comes to something else."""
    return bound + isinstance(comparison.ops[0], (ast.Gt, ast.LtE)) - _added(comparison)


def _added(comparison: ast.Compare) -> int:
    """What a comparison adds to its counter."""
    added = comparison.left.right if isinstance(comparison.left, ast.BinOp) else None
    return added.value if isinstance(added, ast.Constant) and type(added.value) is int else 0


def names_in(node: ast.expr) -> set[str]:
    """The names in an expression."""
    return {part.id for part in walk(node) if isinstance(part, ast.Name)}


@contextmanager
def skipped_to(waiting: Waiting, outcomes: dict[ast.AST, bool]) -> Iterator[None]:
    """A round of a loop in which comparisons have these outcomes."""
    before, waiting.ahead = waiting.ahead, {**waiting.ahead, **outcomes}
    try:
        yield
    finally:
        waiting.ahead = before


def _far(interp: Interpreter, node: ast.If) -> dict[ast.Compare, int]:
    """The comparisons in a condition of a counter, or of the length of a list that the program adds
    to, with a number that it does not come near, where the sides of the `if` do something."""
    if not _sets_or_calls(node):
        return {}
    found: dict[ast.Compare, int] = {}
    for one in _compared(node):
        bound = interp.evaluate(one.comparators[0])
        if type(bound) is not int or bound <= FAR:
            continue
        count = interp.evaluate(one.left)
        if isinstance(count, int) and count < bound and _counts_up(interp, one.left, count):
            found[one] = bound
    return found


def _counts_up(interp: Interpreter, node: ast.expr, count: int) -> bool:
    """Whether an expression is a counter, or the length of a list that the program adds to."""
    counted = length_of(node)
    if counted is not None:
        owner = content_of(interp.evaluate(counted))
        return any(one is owner for one in interp.record.grown)
    return isinstance(count, Counter) or _name_of(node) in interp.query(interp.source, _counted_up)


@query
def _counted_up(source: Source) -> frozenset[str]:
    """The names and attributes that a file adds something to."""
    return frozenset(
        _name_of(one.target) for one in source.each(ast.AugAssign) if isinstance(one.op, ast.Add)
    )


def _name_of(node: ast.expr) -> str:
    """The name of a counter, or of the attribute that it is."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return last_name(node)


@query
def _compared(node: ast.AST) -> tuple[ast.Compare, ...]:
    """The comparisons in the condition of an `if` which a counter may decide."""
    assert isinstance(node, ast.If)
    parts = (part for part in walk(node.test) if isinstance(part, ast.Compare))
    return tuple(
        part
        for part in parts
        if type(part.ops[0]) in _COMPARING
        and len(part.ops) == 1
        and _is_plain(part.comparators[0])
        and _is_count(part.left)
    )


def _is_count(node: ast.expr) -> bool:
    """Whether an expression may be a counter, one more than it, or a length."""
    node = length_of(node) or node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return isinstance(node.right, ast.Constant) and _is_count(node.left)
    return isinstance(node, (ast.Name, ast.Attribute)) and _is_plain(node)


@query
def _sets_or_calls(node: ast.AST) -> bool:
    """Whether a side of an `if` does more than to tell how far the program has come, or leaves."""
    assert isinstance(node, ast.If)
    if _acts(node) or isinstance(node.body[-1], (ast.Continue, ast.Return)):
        return True
    sides = [part for one in (*node.body, *node.orelse) for part in walk(one)]
    return any(isinstance(part, (ast.Assign, ast.AugAssign)) for part in sides)


def period_of(value: Value) -> int:
    """How many rounds lie between two in which a counter has no remainder: 0 where they are many.

    Of an option that is what it is by default. A window of unknown length has two rounds.
    """
    known = value.attributes.get(DEFAULT) if isinstance(value, Unknown) else value
    if isinstance(known, int) and SHORTEST <= known <= FAR:
        return known
    return SHORTEST if isinstance(value, Unknown) and value.tensor is None else 0


@query
def _counted(node: ast.AST) -> tuple[tuple[ast.expr, ...], tuple[ast.expr, ...]]:
    """What a condition divides a counter by, and what it compares one with."""
    assert isinstance(node, ast.If)
    compared = [part for part in walk(node.test) if isinstance(part, ast.Compare)]
    bounds = (
        part.comparators[0]
        for part in compared
        if isinstance(part.ops[0], _LATER) and not _is_divided(part.left)
    )
    return _periods(node.test), tuple(part for part in bounds if _is_plain(part))


def _is_divided(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def _periods(node: ast.expr) -> tuple[ast.expr, ...]:
    """What an expression divides something by, to look at the remainder."""
    divided = (part for part in walk(node) if isinstance(part, ast.BinOp) and _is_divided(part))
    return tuple(part.right for part in divided if _is_plain(part.right))


def _is_plain(node: ast.expr) -> bool:
    """Whether to evaluate an expression does nothing."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))


def _periods_of_names(test: ast.expr, function: ast.AST) -> Iterator[ast.expr]:
    """The same of what a function assigns to the names in a condition."""
    named = _named_periods(function)
    for part in walk(test) if named else ():
        if isinstance(part, ast.Name):
            yield from named.get(part.id, ())


@query
def _named_periods(function: ast.AST) -> dict[str, tuple[ast.expr, ...]]:
    found: dict[str, tuple[ast.expr, ...]] = {}
    for node in walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name):
            periods = _periods(node.value)
            found |= {target.id: periods} if periods else {}
    return found


def _does_something(interp: Interpreter, node: ast.If) -> bool:
    """Whether a side of an `if` does more than to tell how far the program has come."""
    trains = interp.world.relevance.trains_in(interp.source, node)
    return trains or isinstance(node.body[-1], ast.Continue) or _acts(node)


@query
def _acts(node: ast.AST) -> bool:
    assert isinstance(node, ast.If)
    called = (part.func for one in node.body for part in walk(one) if isinstance(part, ast.Call))
    return any(not _TELLING.search(last_name(function)) for function in called)

"""What a loop sees when it goes over a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count, islice, repeat
from typing import TypeGuard

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.dictionaries import held, listed
from autograd_lint.vm.events import IterationBegun
from autograd_lint.vm.instances import call_method, elements_of, has_method, named_parts
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import listed_members
from autograd_lint.vm.registries import complete
from autograd_lint.vm.string_facts import like
from autograd_lint.vm.uncalled import result_of
from autograd_lint.vm.values import ELEMENT, Class, Instance, Items, Mapping, Unknown, Value

LONGEST = 64  # rounds of a loop, rows of a tensor and letters that are gone through one by one
MOST = 1_000  # elements of a container
MANY = 3  # elements that stand for a sequence of unknown length


def begin_iteration(
    interp: Interpreter,
    sequence: Value,
    node: ast.AST,
    loop: ast.For | ast.AsyncFor | None = None,
) -> None:
    """Something is about to be gone through: a generator only gives its elements once."""
    interp.emit(IterationBegun(sequence, node, loop))
    if isinstance(sequence, Items) and sequence.single_pass:
        sequence.used = sequence.used or interp.place(node)


@dataclass(frozen=True, slots=True)
class Iteration:
    """The elements in order; endless where `complete` is False (the number is unknown), but for
    the `known` ones at the beginning. A complete one has so many."""

    values: Iterator[Value]
    complete: bool
    known: int = 0

    def few(self, limit: int) -> Iterator[Value]:
        """At most `limit` of the elements."""
        return islice(self.values, limit)

    def gathered(self) -> list[Value]:
        """What stands for all elements: those that are known, and a few where others may follow."""
        return list(self.few(MOST if self.complete else min(max(self.known, MANY), MOST)))


def iterate(interp: Interpreter, value: Value, node: ast.AST) -> Iteration:
    """The elements of any value."""
    value = materialized(result_of(interp, value))
    if isinstance(value, Class):
        value = listed_members(value) or value
    if isinstance(value, Items) and value.taken is not None and not value.partial:
        interp.changes(value)
        return _taken(value, value.taken)
    if isinstance(value, Items):
        return _items(value)
    if isinstance(value, Mapping):
        complete(interp, value)
        return _items(Items("keys", list(value.entries), value.rest and Unknown("a key")))
    if isinstance(value, Tensor):
        return _rows(interp, value, node)
    if isinstance(value, str):
        return Iteration(iter(value[:LONGEST]), len(value) <= LONGEST, len(value))
    if isinstance(value, Instance):
        return _object(interp, value, node)
    return _unknown(value, interp.text(node))


def _taken(iterator: Items, taken: int) -> Iteration:
    """The elements that an iterator has left, each of which it gives once."""

    def take() -> Iterator[Value]:
        while iterator.taken is not None and iterator.taken < len(iterator.items):
            iterator.taken += 1
            yield iterator.items[iterator.taken - 1]

    left = len(iterator.items) - taken
    if iterator.closed:
        return Iteration(take(), left <= MOST, left)
    return Iteration(chain(take(), _more(iterator.rest)), False, left)


def _items(items: Items) -> Iteration:
    if items.closed:
        return Iteration(iter(list(items.items)), len(items.items) <= MOST, len(items.items))
    more = _more(items.rest, -1 if _counts_down(items.items) else 1)
    return Iteration(chain(list(items.items), more), False, len(items.items))


def _counts_down(items: list[Value]) -> bool:
    """Whether the last of some numbers is below the one before it."""
    last = [one for one in items[-2:] if isinstance(one, Counter)]
    return len(last) > 1 and last[1] < last[0]


def _more(rest: Value, step: int = 1) -> Iterator[Value]:
    if isinstance(rest, Counter) or (_is_row(rest) and isinstance(rest.items[0], Counter)):
        return _counted_on(rest, step)
    if not isinstance(rest, Unknown):
        return repeat(rest)
    return _others(rest)


def _others(element: Unknown) -> Iterator[Value]:
    """Ever new elements, of which no more is known than of that one."""
    while True:
        yield like(element.part(element.origin, element.hint), element)


def _is_row(value: Value) -> TypeGuard[Items]:
    return isinstance(value, Items) and value.kind == "tuple" and bool(value.items)


def _counted_on(last: Value, step: int) -> Iterator[Value]:
    """What follows an element that is a counter, or begins with one."""
    for number in count(1):
        if isinstance(last, Counter):
            yield type(last)(last + number * step)
        elif _is_row(last) and isinstance(last.items[0], Counter):
            yield Items("tuple", [Counter(last.items[0] + number), *last.items[1:]])


def _unknown(value: Value, text: str) -> Iteration:
    origin, hint = (value.origin, value.element_hint) if isinstance(value, Unknown) else (text, "")
    element = Unknown(f"an element of {origin}", hint, weight=2)
    if isinstance(value, Unknown) and value.source is not None:
        element.weight, element.source = max(value.weight, 1), value.source
    else:
        element.attributes[ELEMENT] = True
    if isinstance(value, Unknown):
        element.graph_breaks = value.graph_breaks
    return Iteration(_more(_given_like(element, value)), False)


def _given_like(element: Unknown, value: Value) -> Unknown:
    """A part of a value: the letters that the whole lacks, and the caller or loop that gave it."""
    return like(element.given_like(value) if isinstance(value, Unknown) else element, value)


def _rows(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Iteration:
    size = tensor.shape[0] if tensor.shape else None
    complete = size is not None and size <= LONGEST
    count = size if complete and size is not None else MANY
    rows = interp.models.elements.rows(interp, tensor, count, node)
    found = rows.items if isinstance(rows, Items) else [rows]
    values = iter(found) if complete else chain(found, repeat(found[-1]))
    return Iteration(values, complete, count if complete else 0)


def _called(interp: Interpreter, value: Instance, node: ast.AST) -> Iterator[Value]:
    """What the calls of an iterator's own `__next__` give, until it raises `StopIteration`."""
    with ending_iteration():
        while True:
            yield call_method(interp, value, "__next__", [], node)


@contextmanager
def ending_iteration() -> Iterator[None]:
    """What runs an iterator goes on behind this where that has no more elements."""
    try:
        yield
    except ProgramRaises as raised:
        if raised.name != "StopIteration":
            raise


def _object(interp: Interpreter, value: Instance, node: ast.AST) -> Iteration:
    if has_method(value, "__iter__"):
        given = call_method(interp, value, "__iter__", [], node)
        if given is value and has_method(value, "__next__"):
            return Iteration(_called(interp, value, node), False)
        return iterate(interp, given, node)
    batches = interp.models.elements.batches(interp, value, node)
    if batches is not None:
        endless, number = batches
        if number is not None and number <= LONGEST:
            return Iteration(islice(endless, number), True, number)
        return Iteration(endless, False)
    inner = held(value) or listed(value) or named_parts(value)
    if inner is not None:
        return iterate(interp, inner, node)
    parts = elements_of(value)
    if parts:
        closed = value.unknown is None
        return _items(Items("list", parts, None if closed else Unknown("a module", "module")))
    return _unknown(Unknown(interp.text(node)), "")

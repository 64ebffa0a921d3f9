"""`itertools` and `operator`: what goes through elements, and what takes one out of an object.

Of sequences that are not known nothing is computed: they stay as unknown as they are.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeGuard

from autograd_lint.vm.arithmetic import binary, materialized
from autograd_lint.vm.attributes import get_attribute
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.iterables import chain, keys_of
from autograd_lint.vm.iteration import LONGEST, MANY, iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.subscripts import get_item
from autograd_lint.vm.values import Items, Native, Unknown, Value, constant

Run = Callable[[Interpreter, Call], Value]
_ROUNDS = 3  # of elements that are gone through again and again


def _known(interp: Interpreter, value: Value, call: Call) -> Items | None:
    """The elements of something, as a list; None where not even the first ones are known."""
    value = materialized(value)
    if isinstance(value, Unknown):
        return None
    iteration = iterate(interp, value, call.node)
    rest = None if iteration.complete else Unknown("an element", weight=2)
    return Items("list", iteration.gathered(), rest)


def _rows(rows: Iterable[Sequence[Value]], sequences: Sequence[Items]) -> Items:
    """Tuples as a list; there may be others unless all elements were known."""
    items: list[Value] = [Items("tuple", list(row)) for row in islice(rows, LONGEST)]
    closed = all(one.closed for one in sequences)
    return Items("list", items, None if closed or not items else items[-1])


def _of_sequences(rows: Callable[..., Iterable[Sequence[Value]]]) -> Run:
    """A function of several sequences that gives tuples of their elements."""

    def run(interp: Interpreter, call: Call) -> Value:
        found = [_known(interp, one, call) for one in call.args]
        sequences = [one for one in found if one is not None]
        if call.open or call.keywords or len(sequences) < len(found):
            return Unknown(interp.text(call.node))
        return _rows(rows(*(one.items for one in sequences)), sequences)

    return run


def _of_number(rows: Callable[[list[Value], int], Iterable[Sequence[Value]]]) -> Run:
    """A function of a sequence, and of how many of its elements are to be together."""

    def run(interp: Interpreter, call: Call) -> Value:
        sequence, number = _known(interp, call.get(0, "iterable"), call), call.get(1, "r")
        if sequence is None or not isinstance(number, int) or not 0 <= number <= LONGEST:
            return Unknown(interp.text(call.node))
        return _rows(rows(sequence.items, number), [sequence])

    return run


def _islice(interp: Interpreter, call: Call) -> Value:
    sequence, bounds = _known(interp, call.get(0, "iterable"), call), call.args[1:]
    ends = [None if one is None else min(one, LONGEST) for one in bounds if _is_bound(one)]
    if sequence is None or not 0 < len(ends) == len(bounds) < 4 or ends[2:] == [0]:
        return Unknown(interp.text(call.node))
    return Items("list", list(islice(sequence.items, *ends)), sequence.rest)


def _is_bound(value: Value) -> TypeGuard[int | None]:
    return value is None or (isinstance(value, int) and value >= 0)


def _pairwise(interp: Interpreter, call: Call) -> Value:
    sequence = _known(interp, call.get(0, "iterable"), call)
    if sequence is None:
        return Unknown(interp.text(call.node))
    return _rows(itertools.pairwise(sequence.items), [sequence])


def _cycle(interp: Interpreter, call: Call) -> Value:
    sequence = _known(interp, call.get(0, "iterable"), call)
    if sequence is None or not sequence.items:
        return Unknown(interp.text(call.node))
    rounds = sequence.items * _ROUNDS if sequence.closed else sequence.items
    return Items("list", rounds[:LONGEST], Unknown("an element", weight=2), taken=0)


def _count(interp: Interpreter, call: Call) -> Value:
    start, step = call.get(0, "start", 0), call.get(1, "step", 1)
    if not (isinstance(start, int) and isinstance(step, int)):
        return Unknown(interp.text(call.node))
    numbers = [Counter(start + number * step) for number in range(MANY)]
    return Items("list", [*numbers], numbers[-1], taken=0)


def _repeat(interp: Interpreter, call: Call) -> Value:
    value, times = call.get(0, "object"), call.get(1, "times")
    if isinstance(times, int):
        return Items("list", [value] * min(times, LONGEST), None if times <= LONGEST else value)
    return Items("list", [value], value)


def _accumulate(interp: Interpreter, call: Call) -> Value:
    sequence, function = _known(interp, call.get(0, "iterable"), call), call.get(1, "func")
    if sequence is None or not sequence.items:
        return Unknown(interp.text(call.node))

    def join(one: Value, other: Value) -> Value:
        if function is None:
            return binary(interp, ast.Add(), one, other, call.node)
        return call_value(interp, function, Call([one, other], {}, call.node))

    return Items("list", list(itertools.accumulate(sequence.items, join)), sequence.rest)


def _starmap(interp: Interpreter, call: Call) -> Value:
    function, sequence = call.get(0, "function"), _known(interp, call.get(1, "iterable"), call)
    if sequence is None:
        return Unknown(interp.text(call.node))
    rows = [_known(interp, one, call) for one in sequence.items]
    results = [
        call_value(interp, function, Call([*row.items], {}, call.node)) for row in rows if row
    ]
    rest = None if sequence.closed else Unknown("a result", weight=2)
    return Items("list", results, rest)


def _tee(interp: Interpreter, call: Call) -> Value:
    sequence, number = _known(interp, call.get(0, "iterable"), call), call.get(1, "n", 2)
    if sequence is None or not isinstance(number, int):
        return Unknown(interp.text(call.node))
    copies = [Items("list", list(sequence.items), sequence.rest) for _ in range(min(number, 16))]
    return Items("tuple", [*copies])


def _groupby(interp: Interpreter, call: Call) -> Value:
    sequence = _known(interp, call.get(0, "iterable"), call)
    if sequence is None or not sequence.closed:
        return Unknown(interp.text(call.node))
    keys = keys_of(interp, sequence.items, call.get(1, "key"), call.node)
    if not all(map(constant, keys)):
        return Unknown(interp.text(call.node))
    groups: list[tuple[Value, list[Value]]] = []
    for key, one in zip(keys, sequence.items, strict=True):
        if not groups or groups[-1][0] != key:
            groups.append((key, []))
        groups[-1][1].append(one)
    return Items("list", [Items("tuple", [key, Items("list", group)]) for key, group in groups])


def _joined(interp: Interpreter, call: Call) -> Value:
    """`chain.from_iterable(sequences)`."""
    sequences = _known(interp, call.get(0, "iterable"), call)
    if sequences is None:
        return Unknown(interp.text(call.node))
    joined = chain(interp, Call(sequences.items, {}, call.node))
    if isinstance(joined, Items):
        joined.rest = joined.rest or sequences.rest
    return joined


def _getter(take: Callable[[Interpreter, Value, Value, ast.AST], Value]) -> Run:
    """`itemgetter(...)` or `attrgetter(...)`: a function that takes the same out of any object."""

    def make(interp: Interpreter, call: Call) -> Value:
        def run(inner: Interpreter, later: Call) -> Value:
            value = later.get(0, "obj")
            taken = [take(inner, value, one, later.node) for one in call.args]
            return taken[0] if len(taken) == 1 else Items("tuple", taken)

        return Native("getter", run)

    return make


def _attribute(interp: Interpreter, value: Value, path: Value, node: ast.AST) -> Value:
    if not isinstance(path, str):
        return Unknown(interp.text(node))
    for name in path.split("."):
        value = get_attribute(interp, value, name, node)
    return value


ITERATION_TOOLS: dict[str, Run] = {
    "itertools.chain": chain,
    "itertools.chain.from_iterable": _joined,
    "itertools.islice": _islice,
    "itertools.cycle": _cycle,
    "itertools.count": _count,
    "itertools.repeat": _repeat,
    "itertools.accumulate": _accumulate,
    "itertools.starmap": _starmap,
    "itertools.tee": _tee,
    "itertools.groupby": _groupby,
    "itertools.product": _of_sequences(itertools.product),
    "itertools.zip_longest": _of_sequences(itertools.zip_longest),
    "itertools.pairwise": _pairwise,
    "itertools.combinations": _of_number(itertools.combinations),
    "itertools.permutations": _of_number(itertools.permutations),
    "operator.itemgetter": _getter(get_item),
    "operator.attrgetter": _getter(_attribute),
}

"""Python's built-in functions that make or go through sequences."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import count, islice

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.arithmetic import binary, materialized
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import all_of, tensors_in
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.integers import Counter, Offset
from autograd_lint.vm.iteration import (
    LONGEST,
    MANY,
    MOST,
    begin_iteration,
    ending_iteration,
    iterate,
)
from autograd_lint.vm.known_elements import in_order, once_each
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.raising import ends
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.terms import remember_operands
from autograd_lint.vm.truth import known_truth
from autograd_lint.vm.values import (
    DEFAULT,
    External,
    Function,
    Instance,
    Items,
    Unknown,
    Value,
    by_default,
    constant,
)

LONGEST_RANGE = 16


def _range(interp: Interpreter, call: Call) -> Value:
    bounds = call.args
    if bounds and all_of(bounds, int) and not any(isinstance(b, bool) for b in bounds):
        try:
            numbers = range(*bounds)
        except (TypeError, ValueError):
            return Unknown(interp.text(call.node))
        # `len` refuses what is longer than a machine word counts.
        if not numbers[LONGEST if numbers.step < 0 else LONGEST_RANGE :]:
            return Items("list", list(numbers))
        first = numbers[:3]
        return Items("list", [Counter(n) for n in first], Counter(first[-1]))
    counted = _counted(bounds)
    uncounted = not all(isinstance(by_default(bound), int) for bound in bounds)
    single = _is_single(bounds)
    return Items("list", list(counted), counted[-1], uncounted=uncounted, single=single)


def _counted(bounds: Sequence[Value]) -> list[Counter]:
    """Three numbers that stand for those of a range whose length is not known: the first ones, or
    the last ones of a range that counts down from where it is not known; how far it has come, where
    neither end is known."""
    step = bounds[2] if len(bounds) > 2 and isinstance(bounds[2], int) else 1
    if len(bounds) > 1 and isinstance(bounds[0], int):
        return [Counter(bounds[0] + n * step) for n in range(MANY)]
    if step < 0 and isinstance(bounds[1], int):
        return [Counter(bounds[1] - n * step) for n in range(MANY, 0, -1)]
    if len(bounds) > 1:
        return [Offset(n) for n in range(MANY)]
    return [Counter(n) for n in range(MANY)]


def _is_single(bounds: Sequence[Value]) -> bool:
    """Whether a range holds one number by default, where the command line tells its end."""
    end = bounds[0] if len(bounds) == 1 else None
    return isinstance(end, Unknown) and end.attributes.get(DEFAULT) == 1


def _enumerate(interp: Interpreter, call: Call) -> Value:
    start = call.get(1, "start", 0)
    return _paired(interp, [None, call.get(0, "iterable")], [call.node, *_nodes(call, 1)], start)


def _zip(interp: Interpreter, call: Call) -> Value:
    values = list(call.args)
    return _paired(interp, values, _nodes(call, len(values)), 0)


def _nodes(call: Call, count: int) -> list[ast.AST]:
    """Where the first arguments of a call stand, each by itself where none of them is starred."""
    given = call.node.args if isinstance(call.node, ast.Call) else []
    plain = len(given) >= count and not any(isinstance(one, ast.Starred) for one in given)
    return list(given[:count]) if plain else [call.node] * count


def _paired(
    interp: Interpreter, values: list[Value], nodes: Sequence[ast.AST], start: Value
) -> Value:
    """Tuples of elements that belong together, of values that stand at `nodes`; a value of None
    counts from `start`."""

    columns = [
        None if value is None else iterate(interp, value, node)
        for value, node in zip(values, nodes, strict=True)
    ]
    for value, node in zip(values, nodes, strict=True):
        if isinstance(value, Items) and value.single_pass:
            begin_iteration(interp, value, node)
    known = [column for column in columns if column is not None]
    complete = any(column.complete for column in known)
    first = start if isinstance(start, int) else 0
    sequences = [_count(first, complete) if column is None else column.values for column in columns]
    rows = islice(zip(*sequences, strict=False), MOST if complete else MANY)
    items: list[Value] = [Items("tuple", list(row)) for row in rows]
    rest = items[-1] if items and not complete else None
    leaks = (value.leaks for value in values if isinstance(value, Items))
    return Items("list", items, rest, leaks=next(filter(None, leaks), None))


def _count(first: int, exact: bool) -> Iterator[Value]:
    numbers = count(first)
    return numbers if exact else map(Counter, numbers)


def _listed(kind: str) -> Callable[[Interpreter, Call], Value]:
    def make(interp: Interpreter, call: Call) -> Value:

        if not call.args:
            return Items(kind, [])
        if kind != "iter":
            begin_iteration(interp, call.args[0], call.node)
        iteration = iterate(interp, call.args[0], call.node)
        items = iteration.gathered()
        if kind == "reversed":
            items.reverse()
        elif kind == "set":
            items = once_each(items)
        rest = None if iteration.complete else Unknown("an element", weight=2)
        taken = 0 if kind == "iter" else None
        return Items("list" if kind in ("reversed", "iter") else kind, items, rest, taken=taken)

    return make


def _sorted(interp: Interpreter, call: Call) -> Value:
    """In order where it goes by plain constants."""
    found = _listed("list")(interp, call)
    if isinstance(found, Items):
        put_in_order(interp, found, call)
    return found


def put_in_order(interp: Interpreter, items: Items, call: Call) -> None:
    """Sort a list as a call of `sorted` or `sort` asks for it."""
    reverse = call.keywords.get("reverse", False)
    if isinstance(reverse, bool):
        keys = keys_of(interp, items.items, call.keywords.get("key"), call.node)
        items.items = in_order(items.items, keys, reverse=reverse)


def keys_of(interp: Interpreter, items: list[Value], key: Value, node: ast.AST) -> list[Value]:
    """What elements are compared by: what `key` gives for each; without one, they themselves."""
    if key is None:
        return items
    return [call_value(interp, key, Call([item], {}, node)) for item in items]


def _sum(interp: Interpreter, call: Call) -> Value:
    """Added up one by one, beginning with 0."""

    value = materialized(call.get(0, "iterable"))
    if isinstance(value, Unknown):
        added = next(iterate(interp, value, call.node).values)
        result = value.part(interp.text(call.node))
        remember_operands(result, "add", [added])
        return result
    iteration = iterate(interp, value, call.node)
    total = call.get(1, "start", 0)
    for item in iteration.gathered():
        total = binary(interp, ast.Add(), total, item, call.node)
    if not iteration.complete and constant(total):
        return Unknown(interp.text(call.node), "number")
    return total


def _next(interp: Interpreter, call: Call) -> Value:

    iterator = call.get(0, "iterator")
    if isinstance(iterator, Instance) and has_method(iterator, "__next__"):
        with ending_iteration() if len(call.args) > 1 else nullcontext():
            return call_method(interp, iterator, "__next__", [], call.node)
        return call.args[1]
    found = _following(interp, iterator, call)
    if isinstance(found, Missing):
        return call.args[1] if len(call.args) > 1 else _beyond_end(interp, iterator, call)
    if isinstance(iterator, Items) and iterator.kind == "generator" and _is_made_later(iterator):
        return Unknown(interp.text(call.node), weight=2)
    return found


def _following(interp: Interpreter, iterator: Value, call: Call) -> Value | Missing:
    """The next element of an iterator. One that was made only in part begins anew at the end of
    that: there will be more of the same kind."""
    iteration = iterate(interp, iterator, call.node)
    if not isinstance(iterator, Items) or iterator.taken is None or not iterator.partial:
        return next(iteration.values, MISSING)
    interp.changes(iterator)
    iterator.taken += 1
    return iterator.items[(iterator.taken - 1) % len(iterator.items)] if iterator.items else MISSING


def _beyond_end(interp: Interpreter, iterator: Value, call: Call) -> Value:
    """What `next` gives of an iterator that has no more elements, as far as is known of it."""
    ends(interp, "StopIteration")
    given = iterator.items if isinstance(iterator, Items) else []
    return given[0] if given else Unknown(interp.text(call.node), weight=2)


def _is_made_later(generator: Items) -> bool:
    """Whether what a generator gives behind its first element has a graph: here it was computed
    when the generator was made, in Python it is when it is asked for, with what has changed."""
    given = generator.items[: generator.taken] if (generator.taken or 0) > 1 else []
    return any(tensor.node is not None for one in given[-1:] for tensor in tensors_in(one))


def _map(interp: Interpreter, call: Call) -> Value:

    columns = [iterate(interp, value, call.node) for value in call.args[1:]]
    complete = any(column.complete for column in columns)
    rows = islice(
        zip(*(column.values for column in columns), strict=False), MOST if complete else MANY
    )
    items = [call_value(interp, call.args[0], Call(list(row), {}, call.node)) for row in rows]
    rest = None if complete else Unknown("an element", weight=2)
    return Items("list", items, rest, single_pass=gives_parameters(items))


def _filter(interp: Interpreter, call: Call) -> Value:
    """What is kept is not decided on: all that may be."""

    iteration = iterate(interp, call.get(1, "iterable"), call.node)
    items = iteration.gathered()
    rest = None if iteration.complete else _rest(call.get(1, "iterable"))
    kept = [item for item in items if not _is_left_out(interp, call, item)]
    return Items("list", kept, rest, single_pass=gives_parameters(kept))


def _rest(value: Value) -> Value:
    """Any other element of what goes through a filter, as it is."""
    rest = value.rest if isinstance(value, Items) else None
    return rest if rest is not None else Unknown("an element", weight=2)


def _is_left_out(interp: Interpreter, call: Call, item: Value) -> bool:
    """Whether what is asked of an element is certainly false; most ask what requires grad."""
    if isinstance(item, Tensor) and item.requires is None:
        return True
    asks = call.get(0, "function")
    if asks is None:
        return known_truth(item) is False
    is_asked = isinstance(asks, External) and constant(item)
    if isinstance(asks, Function):
        is_asked = asks.query(_compares)
    if not is_asked:
        return False
    return known_truth(call_value(interp, asks, Call([item], {}, call.node))) is False


@query
def _compares(_: Source, node: ast.AST) -> bool:
    return any(isinstance(part, ast.Compare) for part in ast.walk(node))


def gives_parameters(items: list[Value]) -> bool:
    """Whether an iterator is one over parameters, which all are meant to be gone through."""
    return any(isinstance(item, Tensor) and item.parameter for item in items)


def chain(interp: Interpreter, call: Call) -> Value:
    """`itertools.chain(...)`."""

    joined = Items("list", [])
    for value in call.args:
        iteration = iterate(interp, value, call.node)
        joined.items.extend(iteration.gathered())
        joined.rest = joined.rest or (None if iteration.complete else Unknown("an element"))
    joined.single_pass = gives_parameters(joined.items)
    return joined


ITERABLES: dict[str, Callable[[Interpreter, Call], Value]] = {
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "list": _listed("list"),
    "tuple": _listed("tuple"),
    "set": _listed("set"),
    "frozenset": _listed("set"),
    "sorted": _sorted,
    "reversed": _listed("reversed"),
    "iter": _listed("iter"),
    "sum": _sum,
    "next": _next,
    "map": _map,
    "filter": _filter,
}

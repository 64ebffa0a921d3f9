"""Methods of lists, tuples, sets and dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from autograd_lint.vm.calls import Call
from autograd_lint.vm.comparing import same_value
from autograd_lint.vm.dictionaries import held
from autograd_lint.vm.events import ValueAppended
from autograd_lint.vm.graphs import put_away
from autograd_lint.vm.iterables import put_in_order
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.known_elements import is_kept_once, of_sets, once_each
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import lacks
from autograd_lint.vm.plain import Plain, plain
from autograd_lint.vm.registries import complete
from autograd_lint.vm.subscripts import get_item
from autograd_lint.vm.values import Items, Mapping, Unknown, Value, constant, is_key

LISTING = {"keys", "values", "items", "copy"}
CHANGING = {
    *("append", "add", "extend", "update", "insert", "pop", "popleft", "clear", "reverse"),
    *("remove", "discard", "appendleft", "setdefault", "popitem", "sort", "rotate", "move_to_end"),
}


def items_method(interp: Interpreter, items: Items, name: str, call: Call) -> Value:
    """`items.name(...)` for a list, tuple or set."""
    run = (NAMED.get(name) if items.fields else None) or ITEMS.get(name)
    if name in CHANGING:
        interp.changes(items)
    if run is not None:
        return run(interp, items, call)
    known = of_sets(name, items, call.args[0]) if len(call.args) == 1 else None
    return known or Unknown(interp.text(call.node), weight=2)


def _append(interp: Interpreter, items: Items, call: Call) -> Value:
    interp.emit(ValueAppended(items, call.get(0, "object"), call.node))
    interp.record.grown.append(items)
    put_away(interp, call.get(0, "object"), call.node)
    items.items.append(call.get(0, "object"))
    return None


def _add(interp: Interpreter, items: Items, call: Call) -> Value:
    """A set takes what is not in it yet."""
    if is_kept_once(call.get(0, "element")) and call.get(0, "element") in items.items:
        return None
    return _append(interp, items, call)


def extend(interp: Interpreter, items: Items, value: Value, node: ast.AST) -> None:
    """`items.extend(value)`, or `items += value` of a list; `items.update(value)` of a set."""
    iteration = iterate(interp, value, node)
    interp.changes(items)
    interp.record.grown.append(items)
    for item in iteration.gathered():
        interp.emit(ValueAppended(items, item, node))
        items.items.append(item)
    if items.kind == "set":
        items.items[:] = once_each(items.items)
    if not iteration.complete:
        items.rest = items.rest or Unknown("an element", weight=2)


def _extend(interp: Interpreter, items: Items, call: Call) -> Value:
    extend(interp, items, call.get(0, "iterable"), call.node)
    return None


def _insert(interp: Interpreter, items: Items, call: Call) -> Value:
    position = call.get(0, "index")
    interp.emit(ValueAppended(items, call.get(1, "object"), call.node))
    put_in(items.items, position if isinstance(position, int) else 0, call.get(1, "object"))
    return None


def put_in(items: list[Value], position: int, value: Value) -> None:
    """`items.insert(position, value)`, however far the position is outside of the list."""
    items.insert(max(-len(items), min(position, len(items))), value)


def _appendleft(interp: Interpreter, items: Items, call: Call) -> Value:
    interp.emit(ValueAppended(items, call.get(0, "object"), call.node))
    items.items.insert(0, call.get(0, "object"))
    return None


def _pop(interp: Interpreter, items: Items, call: Call) -> Value:
    position = call.get(0, "index", -1)
    if isinstance(position, int) and -len(items.items) <= position < len(items.items):
        return items.items.pop(position)
    return items.rest or Unknown(interp.text(call.node), weight=2)


def _popleft(interp: Interpreter, items: Items, call: Call) -> Value:
    return items.items.pop(0) if items.items else Unknown(interp.text(call.node), weight=2)


def _clear(interp: Interpreter, items: Items, call: Call) -> Value:
    items.items.clear()
    items.rest = None
    return None


def _copy(interp: Interpreter, items: Items, call: Call) -> Value:
    return Items(items.kind, list(items.items), items.rest)


def _reverse(interp: Interpreter, items: Items, call: Call) -> Value:
    items.items.reverse()
    return None


def _sort(interp: Interpreter, items: Items, call: Call) -> Value:
    put_in_order(interp, items, call)
    return None


def _position(interp: Interpreter, items: Items, call: Call) -> Value:
    """`items.index(value)`."""
    same = _same(items, call)
    return same.index(True) if same and True in same else Unknown(interp.text(call.node), "int")


def _count(interp: Interpreter, items: Items, call: Call) -> Value:
    same = _same(items, call)
    return Unknown(interp.text(call.node), "int") if same is None else same.count(True)


def _same(items: Items, call: Call) -> list[bool] | None:
    """Which elements are the constant that is given; None where that is not known."""
    wanted = call.get(0, "value")
    known = constant(wanted) and items.closed and all(map(constant, items.items))
    return [item == wanted for item in items.items] if known else None


def _remove(interp: Interpreter, items: Items, call: Call) -> Value:
    target = call.get(0, "value")
    for position, item in enumerate(items.items):
        if same_value(item, target):
            del items.items[position]
            break
    return None


def _element(interp: Interpreter, holder: Items | Mapping, call: Call) -> Value:
    """`holder.__getitem__(key)`, as `map` is given it."""
    return get_item(interp, holder, call.get(0, "key"), call.node)


def _rotate(interp: Interpreter, items: Items, call: Call) -> Value:
    """`queue.rotate(steps)`."""
    steps = call.get(0, "n", 1)
    if isinstance(steps, int) and items.closed and items.items:
        at = -steps % len(items.items)
        items.items[:] = [*items.items[at:], *items.items[:at]]
    return None


def _related(
    relate: Callable[[frozenset[Plain], frozenset[Plain]], bool],
) -> Callable[[Interpreter, Items, Call], Value]:
    """What is asked of two sets that are known altogether."""

    def run(interp: Interpreter, items: Items, call: Call) -> Value:
        other = call.get(0, "other")
        elements = Items("set", other.items, other.rest) if isinstance(other, Items) else None
        one, another = plain(items), plain(elements)
        if isinstance(one, frozenset) and isinstance(another, frozenset):
            return relate(one, another)
        return Unknown(interp.text(call.node), "bool")

    return run


def _replaced(interp: Interpreter, items: Items, call: Call) -> Value:
    """`named._replace(name=value)`."""
    pairs = zip(items.fields, items.items, strict=True)
    values = [call.keywords.get(name, value) for name, value in pairs]
    return Items(items.kind, values, fields=items.fields)


def _named(interp: Interpreter, items: Items, call: Call) -> Value:
    """`named._asdict()`."""
    return Mapping(dict(zip(items.fields, items.items, strict=True)))


NAMED: dict[str, Callable[[Interpreter, Items, Call], Value]] = {
    "_replace": _replaced,
    "_asdict": _named,
}
ITEMS: dict[str, Callable[[Interpreter, Items, Call], Value]] = {
    "append": _append,
    "add": _add,
    "extend": _extend,
    "update": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": _popleft,
    "clear": _clear,
    "copy": _copy,
    "reverse": _reverse,
    "sort": _sort,
    "index": _position,
    "count": _count,
    "remove": _remove,
    "discard": _remove,
    "appendleft": _appendleft,
    "rotate": _rotate,
    "issubset": _related(frozenset.issubset),
    "issuperset": _related(frozenset.issuperset),
    "isdisjoint": _related(frozenset.isdisjoint),
    "__iter__": _copy,
    "__getitem__": _element,
}


def mapping_method(interp: Interpreter, mapping: Mapping, name: str, call: Call) -> Value:
    """`mapping.name(...)`."""
    run = MAPPINGS.get(name)
    if name in CHANGING:
        interp.changes(mapping)
    if name in LISTING:
        complete(interp, mapping)
    return run(interp, mapping, call) if run else Unknown(interp.text(call.node), weight=2)


def _get(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    key = call.get(0, "key")
    if is_key(key) and key in mapping.entries:
        return get_item(interp, mapping, key, call.node)
    if lacks(mapping, key):
        complete(interp, mapping, key)
        return mapping.entries.get(key, call.get(1, "default"))
    return get_item(interp, mapping, key, call.node)


def _setdefault(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    key, default = call.get(0, "key"), call.get(1, "default")
    if is_key(key):
        return mapping.entries.setdefault(key, default)
    mapping.rest = mapping.rest or default
    return mapping.rest


def _pop_key(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    key = call.get(0, "key")
    if is_key(key) and key in mapping.entries:
        found = mapping.entries[key]
        del mapping.entries[key]
        return found
    if len(call.args) > 1:
        return call.args[1]
    return Unknown(interp.text(call.node), weight=2)


def _pop_last(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    """`mapping.popitem()`."""
    if mapping.rest is not None or not mapping.entries:
        return Unknown(interp.text(call.node), weight=2)
    key, value = mapping.entries.popitem()
    return Items("tuple", [key, value])


def _update(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    other = call.get(0, "other")
    other = held(other) or other
    if isinstance(other, Mapping):
        known = {key: value for key, value in other.entries.items() if is_key(key)}
        _take_in(interp, mapping, known.items(), call)
        others = (value for key, value in other.entries.items() if key not in known)
        mapping.rest = mapping.rest or other.rest or next(others, None)
    elif other is not None:
        mapping.rest = mapping.rest or Unknown("a value", weight=2)
        interp.models.objects.updated(interp, mapping, interp.text(call.node))
    _take_in(interp, mapping, call.keywords.items(), call)
    return None


def _take_in(
    interp: Interpreter, mapping: Mapping, entries: Iterable[tuple[Value, Value]], call: Call
) -> None:
    for key, value in entries:
        if key not in mapping.entries:
            interp.emit(ValueAppended(mapping, value, call.node))
        mapping.entries[key] = value


def _keys(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    return Items("list", list(mapping.entries), mapping.rest and Unknown("a key"))


def _values(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    return Items("list", list(mapping.entries.values()), mapping.rest)


def _pairs(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    pairs = [Items("tuple", [key, value]) for key, value in mapping.entries.items()]
    rest = None
    if mapping.rest is not None:
        rest = Items("tuple", [Unknown("a key"), mapping.rest])
    return Items("list", list(pairs), rest)


def _copy_mapping(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    return Mapping(dict(mapping.entries), mapping.rest)


def _move(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    """`mapping.move_to_end(key, last=True)`."""
    key, last = call.get(0, "key"), call.get(1, "last", True)
    if is_key(key) and key in mapping.entries:
        moved = {key: mapping.entries.pop(key)}
        others = dict(mapping.entries)
        mapping.entries.clear()
        mapping.entries.update({**others, **moved} if last else {**moved, **others})
    return None


def _clear_mapping(interp: Interpreter, mapping: Mapping, call: Call) -> Value:
    mapping.entries.clear()
    mapping.rest = None
    return None


MAPPINGS: dict[str, Callable[[Interpreter, Mapping, Call], Value]] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop_key,
    "popitem": _pop_last,
    "update": _update,
    "keys": _keys,
    "values": _values,
    "items": _pairs,
    "copy": _copy_mapping,
    "clear": _clear_mapping,
    "move_to_end": _move,
    "__getitem__": _element,
}

"""Indexing: reading and storing elements."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.arrays import indexes_arrays, write_array
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.dictionaries import held, listed
from autograd_lint.vm.events import PartSet, ValueAppended
from autograd_lint.vm.imports import settled_in
from autograd_lint.vm.instances import call_method, children, has_method, is_module
from autograd_lint.vm.integers import Counter, Offset
from autograd_lint.vm.iteration import LONGEST
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import is_exact, lacks, member_called
from autograd_lint.vm.package_members import any_name, member_of, members_of
from autograd_lint.vm.raising import ends
from autograd_lint.vm.registries import complete
from autograd_lint.vm.tables import any_entry
from autograd_lint.vm.values import (
    ANNOTATED,
    DATA,
    MAY_RUN,
    PICKED_FROM,
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Slice,
    Unknown,
    Value,
    by_default,
    constant,
    is_key,
)

_STANDS_FOR = "stands for an entry"

# What the standard library holds for a program: no types, which `[]` makes generic.
_CONTAINERS = frozenset({"os.environ", "sys.argv"})


def get_item(interp: Interpreter, value: Value, index: Value, node: ast.AST) -> Value:
    """`value[index]`."""
    if isinstance(value, Unknown) and isinstance(index, str):
        # What has names is a dictionary.
        return interp.models.elements.unknown_item(interp, value, index, node)
    value = materialized(value)
    if isinstance(value, Tensor):
        return interp.models.elements.item(interp, value, index, node)
    if isinstance(value, Items):
        return _items_item(interp, value, index, node)
    if isinstance(value, Mapping):
        return _mapping_item(interp, value, index, node)
    if isinstance(value, Instance):
        return _object_item(interp, value, index, node)
    if isinstance(value, External) and value.path in _CONTAINERS:
        held = interp.record.unbound.setdefault(value.path, Unknown(value.path, weight=2))
        return interp.models.elements.unknown_item(interp, held, index, node)
    package = members_of(value)
    if package is not None:
        return member_of(interp, package, index, node)
    if isinstance(value, (Class, External)):
        return _parametrized(interp, value, index, node)
    if value is None and not interp.models.refusals.part(interp, node):
        ends(interp, "TypeError")
    if isinstance(value, (int, float, complex)):
        ends(interp, "TypeError")
    if isinstance(value, str):
        return _part_of_text(interp, value, index, node)
    return interp.models.elements.unknown_item(interp, value, index, node)


def _parametrized(
    interp: Interpreter, value: Class | External, index: Value, node: ast.AST
) -> Value:
    """A generic type is itself, an enumeration gives its member; what a metaclass of the program
    makes of it is its own affair."""
    member = member_called(value, index) if isinstance(value, Class) else None
    if member is not None:
        return member
    meta = value.metaclass() if isinstance(value, Class) else None
    made = meta.find("__getitem__") if meta is not None else None
    if isinstance(made, Function):
        return call_value(interp, Method(value, made), Call([index], {}, node))
    return value


def _part_of_text(interp: Interpreter, text: str, index: Value, node: ast.AST) -> Value:
    """A letter of a text, or a slice of it."""
    known = _bounds(index) if isinstance(index, Slice) and index.step != 0 else None
    if known is not None:
        return text[known]
    if (
        isinstance(index, int)
        and not isinstance(index, Counter)
        and -len(text) <= index < len(text)
    ):
        return text[index]
    return Unknown(interp.text(node), hint="string")


def _items_item(interp: Interpreter, items: Items, index: Value, node: ast.AST) -> Value:
    if isinstance(index, Counter) and _comes_to(items, index):
        return items.items[index]
    if isinstance(index, int) and not isinstance(index, Counter):
        position = index if index >= 0 else index + len(items.items)
        if 0 <= position < len(items.items):  # of an open list, counted from its end as well
            return items.items[position]
        if items.items and not items.closed:
            return items.rest
        if items.closed and not (
            items.kind == "tuple" and interp.models.refusals.position(interp, items, node)
        ):
            _beyond(interp, items)
    if isinstance(index, Slice):
        return _sliced(items, index)
    if len(items.items) == 1 and items.closed:
        return items.items[0]
    return _some(interp, items, node)


def _comes_to(items: Items, counter: Counter) -> bool:
    """Whether a loop that counts from where it is known has come to one of the known elements."""
    return not isinstance(counter, Offset) and 0 <= counter < len(items.items)


def _beyond(interp: Interpreter, items: Items) -> None:
    """Python raises where a list or tuple whose elements are all known has no such element."""
    if items.kind in ("list", "tuple") and not (items.partial or items.fields):
        ends(interp, "IndexError")


def _sliced(items: Items, index: Slice) -> Items:
    known = _bounds(index)
    if items.closed and known is not None and index.step != 0:
        return Items(items.kind, items.items[known])
    rest = items.rest or Unknown("an element", weight=2)
    return Items(items.kind, _surely_within(items.items, index), rest)


def _bounds(index: Slice) -> slice | None:
    """A slice with bounds that are known; where a loop of unknown length has come to is not."""
    counted = any(isinstance(bound, Counter) for bound in (index.lower, index.upper))
    return None if counted else index.known


def _surely_within(items: list[Value], index: Slice) -> list[Value]:
    """Of some elements those that a slice with an unknown bound has, unless it is empty."""
    if index.lower in (None, 0) and index.step is None:
        return items[:1]
    if index.upper is None and index.step is None:
        return items[-1:]
    return []


def _some(interp: Interpreter, items: Items, node: ast.AST) -> Value:
    """An element at an unknown position: any function or module will do, no tensor will."""
    for item in items.items:
        if isinstance(item, Instance):
            return item
    _open(interp, items)
    rest = items.rest if not items.items else None
    value = Unknown(interp.text(node), weight=2, attributes={PICKED_FROM: items})
    if isinstance(rest, Unknown) and rest.graph_breaks:  # of values without their graph
        value.hint, value.graph_breaks = rest.hint, rest.graph_breaks
    return value


def _open(interp: Interpreter, items: Items) -> None:
    """One of the lists in a list is handed out, to be added to: it is not known which."""
    for item in items.items:
        if isinstance(item, Items) and item.kind == "list" and item.closed:
            interp.changes(item)
            item.rest = Unknown("an element", weight=2)


def _mapping_item(interp: Interpreter, mapping: Mapping, index: Value, node: ast.AST) -> Value:
    if is_key(index) and index in mapping.entries:
        return settled_in(interp, mapping.entries, index)
    if is_key(index) and mapping.factory is not None:
        made = call_value(interp, mapping.factory, Call([], {}, node))
        interp.changes(mapping)
        return mapping.entries.setdefault(index, made)
    usual = by_default(index)
    if mapping.rest is not None and not (is_key(usual) and usual in mapping.entries):
        return _entry(interp, mapping, index, node)
    complete(interp, mapping, index)
    if is_key(index) and index in mapping.entries:
        return settled_in(interp, mapping.entries, index)
    if is_key(usual) and usual in mapping.entries:
        return settled_in(interp, mapping.entries, usual)
    if not is_exact(index) and len(mapping.entries) == 1:
        return next(iter(mapping.entries.values()))
    if isinstance(index, Unknown):
        return any_entry(interp, mapping, node)
    if is_key(index) and mapping.written:
        ends(interp, "KeyError")
    return Unknown(interp.text(node), weight=2)


def _entry(interp: Interpreter, mapping: Mapping, key: Value, node: ast.AST) -> Value:
    """What stands under a key that is not known to be there: another value for every key."""
    rest = mapping.rest
    told = _told(mapping, key) if isinstance(key, Unknown) else None
    if told is not None:
        return told
    named = any_name(interp, mapping, key, node) if isinstance(key, Unknown) else None
    if named is not None:
        return named
    if not isinstance(rest, (Unknown, Tensor)) or not (constant(key) or isinstance(key, Unknown)):
        return rest
    if isinstance(rest, Tensor) and rest.node is None:
        return rest
    if isinstance(key, Unknown):
        mapping.asked = mapping.asked or key
        if mapping.asked is key:
            return rest
        # The next key has another graph, of which nothing is known.
        weight = rest.weight if isinstance(rest, Unknown) else 1
        return _tell(mapping, key, Unknown(interp.text(node), weight=weight))
    found: Value
    if isinstance(rest, Tensor):
        found = rest.alias(Storage())
        found.requires, found.node, found.name = rest.requires, rest.node, rest.name
    else:
        found = rest.part(interp.text(node), rest.hint)
    interp.changes(mapping)
    mapping.entries[key] = found
    return found


def _told(mapping: Mapping, key: Unknown) -> Value:
    """What a key that is not known stands for: what was put under it, or what it was asked for
    while there was nothing else."""
    stands = key.attributes.get((_STANDS_FOR, mapping))
    before, found = stands.items if isinstance(stands, Items) else (None, None)
    return found if before is mapping.rest or before is found else None


def _tell(mapping: Mapping, key: Unknown, value: Value, put: bool = False) -> Value:
    key.attributes[_STANDS_FOR, mapping] = Items("tuple", [value if put else mapping.rest, value])
    return value


def _object_item(interp: Interpreter, value: Instance, index: Value, node: ast.AST) -> Value:
    if has_method(value, "__getitem__"):
        found = call_method(interp, value, "__getitem__", [index], node)
        return interp.models.elements.given(value, found)
    inner = held(value)
    if inner is not None and has_method(value, "__missing__") and lacks(inner, index):
        return call_method(interp, value, "__missing__", [index], node)
    if inner is not None and not (is_key(index) and _is_field(value, index)):
        return _mapping_item(interp, inner, index, node)
    inside = listed(value)
    if inside is not None:
        return _items_item(interp, inside, index, node)
    if isinstance(index, (str, int)) and str(index) in value.attributes:
        return value.attributes[str(index)]
    modules = children(value)
    if modules and isinstance(index, Slice):
        return _part_of_container(value, modules, index)
    if modules:
        return _items_item(interp, Items("list", modules), index, node)
    # What an outside class gives has a graph only where it is a module.
    return Unknown(interp.text(node), weight=1 if is_module(value) else DATA)


def _is_field(value: Instance, key: Value) -> bool:
    """Whether an object that is a dictionary as well has a key as an attribute alone."""
    inner = held(value)
    return str(key) in value.attributes and inner is not None and key not in inner.entries


def _part_of_container(value: Instance, modules: list[Value], index: Slice) -> Instance:
    """A slice of a `Sequential` or `ModuleList` is one again, of the same modules; where a bound is
    not known, a module stands for those that it may have beside the first or the last one."""
    part = _sliced(Items("list", modules), index)
    found = list(part.items)
    if not part.closed:
        others = Unknown("a module", "module", attributes={MAY_RUN: Items("list", modules)})
        found.insert(len(found) if index.lower in (None, 0) else 0, others)
    own = {str(position): module for position, module in enumerate(found)}
    return Instance(value.cls, {"training": True, **own}, value.options, value.unknown)


def set_item(
    interp: Interpreter, owner: Value, index: Value, value: Value, node: ast.AST, label: str
) -> None:
    """`owner[index] = value`."""
    owner = _written_to(interp, owner, index)
    if isinstance(owner, Tensor) and isinstance(index, str):
        return  # taken for a tensor, it is a dictionary
    if isinstance(owner, Tensor):
        interp.models.elements.store(interp, owner, index, value, node, label)
    elif isinstance(owner, Mapping):
        interp.changes(owner)
        _put(interp, owner, index, value, node)
    elif isinstance(owner, Items):
        interp.changes(owner)
        _replace(owner, index, value)
    elif isinstance(owner, Instance):
        _set_object_item(interp, owner, index, value, node)
    elif isinstance(owner, Unknown):
        write_array(owner, "item assignment", interp.place(node))
        if owner.source is None and indexes_arrays(index):
            owner.weight = DATA  # whoever writes a part of what is given takes it for data
        if constant(index):
            interp.emit(PartSet(owner, None, value, node))
            owner.attributes["item", index] = value


def _written_to(interp: Interpreter, owner: Value, index: Value) -> Value:
    """What a part of which is written: a tensor, where the program says so, or picks by one.

    Whoever writes a part of what is given takes it for data.
    """
    picked = isinstance(index, Tensor) and index.dtype == "bool"
    if isinstance(owner, Unknown) and (
        picked or (ANNOTATED in owner.attributes and not isinstance(index, str))
    ):
        if owner.source is None and owner.tensor is None:
            owner.weight = DATA
        return interp.models.operators.as_tensor(interp, owner) or owner
    return materialized(owner)


def _put(interp: Interpreter, mapping: Mapping, key: Value, value: Value, node: ast.AST) -> None:
    if not is_key(key):
        mapping.rest = value
        if isinstance(key, Unknown):
            _tell(mapping, key, value, put=True)
        return
    if key not in mapping.entries:
        interp.emit(ValueAppended(mapping, value, node))
    mapping.entries[key] = value


def _replace(items: Items, index: Value, value: Value) -> None:
    if isinstance(index, int):
        known = -len(items.items) <= index < len(items.items)
        if known:
            items.items[index] = value
        goes_on = isinstance(index, Counter) and value is not None
        if goes_on:
            del items.items[int(index) + 1 :]  # which it will come to
        if goes_on or not (known or isinstance(index, Counter)):
            items.rest = value
    elif isinstance(index, Slice):
        _replace_part(items, index, value)
    else:
        items.rest = value


def _replace_part(items: Items, index: Slice, value: Value) -> None:
    """`items[lower:upper] = value`; where it is put is not known, its elements may be anywhere."""
    if not isinstance(value, Items):
        return
    known = index.known if items.closed and value.closed else None
    few = len(items.items) + len(value.items) <= LONGEST
    if few and known is not None and known.step is None:
        items.items[known] = value.items
    elif value.items:
        items.rest = items.rest or value.items[0]


def _set_object_item(
    interp: Interpreter, owner: Instance, index: Value, value: Value, node: ast.AST
) -> None:
    if has_method(owner, "__setitem__"):
        call_method(interp, owner, "__setitem__", [index, value], node)
    elif (inner := held(owner)) is not None:
        interp.changes(inner)
        _put(interp, inner, index, value, node)
    elif (inside := listed(owner)) is not None:
        interp.changes(inside)
        _replace(inside, index, value)
    elif isinstance(index, (str, int)):
        interp.record.grown.append(owner)
        interp.emit(PartSet(owner, owner.attributes.get(str(index)), value, node))
        owner.attributes[str(index)] = interp.models.elements.kept(interp, owner, value, node)
    elif is_module(owner) and is_module(value):
        interp.models.elements.append(owner, value)  # whatever its name is

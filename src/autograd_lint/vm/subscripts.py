"""Indexing: reading and storing elements."""

from __future__ import annotations

import ast

from autograd_lint.checkers import leaves, memory
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.libraries.shapes.indexing import indexed
from autograd_lint.libraries.shapes.inference import lay_out
from autograd_lint.libraries.shapes.views import layout_of
from autograd_lint.libraries.torch.apply import as_tensor, find_operator, run_operator
from autograd_lint.libraries.torch.batching import refuse_indices, refuse_length
from autograd_lint.libraries.torch.datasets import as_data, is_dataset
from autograd_lint.libraries.torch.evidence import (
    indexes_arrays,
    is_other,
    mark_other,
    may_be_array,
)
from autograd_lint.libraries.torch.function_bodies import refuse_part, refuse_position
from autograd_lint.libraries.torch.kinds import index_kinds, kinds_of
from autograd_lint.libraries.torch.leaving_autograd import array_part, behind, write_array
from autograd_lint.libraries.torch.module_members import add_child
from autograd_lint.libraries.torch.opaque_modules import BATCH, ITEM, OBJECT, module_of
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.dictionaries import held
from autograd_lint.vm.instances import call_method, children, has_method, is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.registries import complete
from autograd_lint.vm.tables import any_entry
from autograd_lint.vm.values import (
    DATA,
    Class,
    Counter,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Slice,
    Unknown,
    Value,
    constant,
    is_key,
)

FULL = Slice(None, None, None)
_STANDS_FOR = "stands for an entry"


def get_item(interp: Interpreter, value: Value, index: Value, node: ast.AST) -> Value:
    """`value[index]`."""
    if isinstance(value, Unknown) and isinstance(index, str):
        return _unknown_item(interp, value, index, node)  # what has names is a dictionary
    value = materialized(value)
    if isinstance(value, Tensor):
        return _tensor_item(interp, value, index, node)
    if isinstance(value, Items):
        return _items_item(interp, value, index, node)
    if isinstance(value, Mapping):
        return _mapping_item(interp, value, index, node)
    if isinstance(value, Instance):
        return _object_item(interp, value, index, node)
    if isinstance(value, (Class, External)):
        return _parametrized(interp, value, index, node)
    if value is None:
        refuse_part(interp, node)
    if isinstance(value, str) and isinstance(index, int):
        return value[index : index + 1] or Unknown(interp.text(node), hint="string")
    return _unknown_item(interp, value, index, node)


def _parametrized(
    interp: Interpreter, value: Class | External, index: Value, node: ast.AST
) -> Value:
    """A generic type is itself; what a metaclass of the program makes of it is its own affair."""
    meta = value.metaclass() if isinstance(value, Class) else None
    made = meta.find("__getitem__") if meta is not None else None
    if isinstance(made, Function):
        return call_value(interp, Method(value, made), Call([index], {}, node))
    return value


def _tensor_item(interp: Interpreter, tensor: Tensor, index: Value, node: ast.AST) -> Value:
    kinds = {"0": kinds_of(tensor), "1": index_kinds(index)}
    refuse_indices(interp, tensor, index, node)
    if isinstance(index, Tensor) and index.dtype == "bool":
        refuse_length(interp, index, node, "indexing by a mask")
    operator = find_operator(interp, "torch.Tensor.__getitem__")
    if operator is None:
        return Unknown(interp.text(node))
    result = run_operator(interp, operator, {"0": tensor, "1": index}, node, kinds=kinds)
    if isinstance(result, Tensor) and result is not tensor:
        _shape_item(tensor, index, result)
    return result


def _shape_item(tensor: Tensor, index: Value, result: Tensor) -> None:
    before = layout_of(tensor)
    layout = indexed(before, index) if before is not None else None
    if result.base is not None:
        result.contiguous = None
        if layout is not None:
            lay_out(result, layout)
    elif layout is not None:
        result.shape = layout.shape


def _items_item(interp: Interpreter, items: Items, index: Value, node: ast.AST) -> Value:
    if isinstance(index, int) and not isinstance(index, Counter):
        position = index if index >= 0 else index + len(items.items)
        if 0 <= position < len(items.items) and (items.closed or index >= 0):
            return items.items[position]
        if items.items and not items.closed:
            return items.items[-1] if index < 0 else items.rest
        if items.closed and items.kind == "tuple":
            refuse_position(interp, items, node)
    if isinstance(index, Slice):
        return _sliced(items, index)
    if len(items.items) == 1 and items.closed:
        return items.items[0]
    return _some(interp, items, node)


def _sliced(items: Items, index: Slice) -> Items:
    bounds = (index.lower, index.upper, index.step)
    if items.closed and all(b is None or isinstance(b, int) for b in bounds) and index.step != 0:
        return Items(items.kind, items.items[slice(*bounds)])
    rest = items.rest or Unknown("an element", weight=2)
    return Items(items.kind, _surely_within(items.items, index), rest)


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
    return Unknown(interp.text(node), weight=2)


def _mapping_item(interp: Interpreter, mapping: Mapping, index: Value, node: ast.AST) -> Value:
    if is_key(index) and index in mapping.entries:
        return mapping.entries[index]
    if is_key(index) and mapping.factory is not None:
        made = call_value(interp, mapping.factory, Call([], {}, node))
        interp.changes(mapping)
        return mapping.entries.setdefault(index, made)
    if mapping.rest is not None:
        return _entry(interp, mapping, index, node)
    complete(interp, mapping, index)
    if is_key(index) and index in mapping.entries:
        return mapping.entries[index]
    if not constant(index) and len(mapping.entries) == 1:
        return next(iter(mapping.entries.values()))
    if isinstance(index, Unknown):
        return any_entry(interp, mapping, node)
    return Unknown(interp.text(node), weight=2)


def _entry(interp: Interpreter, mapping: Mapping, key: Value, node: ast.AST) -> Value:
    """What stands under a key that is not known to be there: another value for every key."""
    rest = mapping.rest
    told = _told(mapping, key) if isinstance(key, Unknown) else None
    if told is not None:
        return told
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
        found = Unknown(interp.text(node), rest.hint, rest.weight, source=rest.source)
        found.severed = rest.severed
    interp.changes(mapping)
    mapping.entries[key] = found
    return found


def _told(mapping: Mapping, key: Unknown) -> Value:
    """What a key that is not known stands for: what was put under it, or what it was asked for
    while there was nothing else."""
    before, found = key.attributes.get((_STANDS_FOR, mapping), (None, None))
    return found if before is mapping.rest or before is found else None


def _tell(mapping: Mapping, key: Unknown, value: Value, put: bool = False) -> Value:
    key.attributes[_STANDS_FOR, mapping] = (value if put else mapping.rest, value)
    return value


def _object_item(interp: Interpreter, value: Instance, index: Value, node: ast.AST) -> Value:
    if has_method(value, "__getitem__"):
        found = call_method(interp, value, "__getitem__", [index], node)
        return as_data(found) if is_dataset(value) else found
    inner = held(value)
    if inner is not None and not (is_key(index) and _is_field(value, index)):
        return _mapping_item(interp, inner, index, node)
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
    """A slice of a `Sequential` or `ModuleList` is one again, of the same modules."""
    part = _sliced(Items("list", modules), index)
    own = {str(position): module for position, module in enumerate(part.items)}
    unknown = value.unknown or (part.rest and Unknown("a module", "module"))
    return Instance(value.cls, {"training": True, **own}, value.options, unknown)


def _unknown_item(interp: Interpreter, value: Value, index: Value, node: ast.AST) -> Value:
    if isinstance(value, Unknown) and value.hint == "array":
        return array_part(interp, value, index, node)
    if isinstance(value, Unknown) and value.hint == "shape" and isinstance(index, Slice):
        return Unknown(interp.text(node), "shape")
    if indexes_arrays(index) and not may_be_array(interp, value):
        tensor = as_tensor(interp, value)
        if tensor is not None:
            return _tensor_item(interp, tensor, index, node)
    if isinstance(value, Unknown) and constant(index):
        found = value.derived(("item", index), interp.text(node), value.element_hint)
        if not isinstance(found, Unknown):
            return found  # what was stored there
        if OBJECT in value.attributes:
            found.weight = DATA  # a module would be called
        if BATCH in value.attributes and isinstance(index, str):
            found.weight = max(found.weight, 2)  # a field of a batch, whose graph backward frees
        if module_of(value) is not None and value.source is None:
            found.attributes[ITEM] = value
        return found
    found = Unknown(interp.text(node), weight=value.weight if isinstance(value, Unknown) else 2)
    found.severed = behind([value])
    if isinstance(value, Unknown) and value.source is not None:
        found.source, found.weight = value.source, value.weight
    if isinstance(value, Unknown) and is_other(value) and _is_slice(index):
        mark_other(interp, found)
    return found


def _is_slice(index: Value) -> bool:
    """Whether an index takes a part of what it is a part of, and no single element."""
    parts = index.items if isinstance(index, Items) and index.kind == "tuple" else [index]
    return all(isinstance(part, Slice) or part is Ellipsis for part in parts)


def set_item(
    interp: Interpreter, owner: Value, index: Value, value: Value, node: ast.AST, label: str
) -> None:
    """`owner[index] = value`."""
    owner = materialized(owner)
    if isinstance(owner, Tensor) and isinstance(index, str):
        return  # taken for a tensor, it is a dictionary
    if isinstance(owner, Tensor):
        _store(interp, owner, index, value, node, label)
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
            leaves.part_set(interp, owner, value, interp.place(node))
            owner.attributes["item", index] = value


def _put(interp: Interpreter, mapping: Mapping, key: Value, value: Value, node: ast.AST) -> None:
    if not is_key(key):
        mapping.rest = value
        if isinstance(key, Unknown):
            _tell(mapping, key, value, put=True)
        return
    if key not in mapping.entries:
        memory.appended(interp, mapping, value, node)
    mapping.entries[key] = value


def _store(
    interp: Interpreter, tensor: Tensor, index: Value, value: Value, node: ast.AST, label: str
) -> None:
    """A store is a write through the view that integers and slices take.

    Nothing but full slices and `...` is no view: the write is to the tensor itself.
    Source: `THPVariable_setitem` in torch/csrc/autograd/python_variable_indexing.cpp.
    """
    basic, picked = _split(index)
    target: Value = tensor
    if basic is not None:
        target = _tensor_item(interp, tensor, basic, node)
    if picked is None:
        _copy_into(interp, target, value, node, label)
        return
    operator = find_operator(interp, "torch.Tensor.__setitem__")
    if operator is not None:
        kinds = {"0": kinds_of(target), "1": index_kinds(picked), "2": kinds_of(value)}
        bound = {"0": target, "1": picked, "2": value}
        run_operator(interp, operator, bound, node, label=label, kinds=kinds)


def _split(index: Value) -> tuple[Value, Value]:
    """The parts of an index that make a view, and those that pick elements; None for neither."""
    several = isinstance(index, Items) and index.kind == "tuple"
    parts = index.items if several else [index]
    basic = [FULL if _picks(part) else part for part in parts]
    picked = [part for part in parts if _picks(part)]
    viewing = any(part is not Ellipsis and part != FULL for part in basic)
    return (
        Items("tuple", basic) if viewing else None,
        Items("tuple", picked) if picked else None,
    )


def _picks(part: Value) -> bool:
    return not index_kinds(part) <= {"index-int", "index-slice"} or not index_kinds(part)


def _copy_into(interp: Interpreter, view: Value, value: Value, node: ast.AST, label: str) -> None:
    operator = find_operator(interp, "torch.Tensor.copy_")
    if operator is not None and as_tensor(interp, view) is not None:
        given = Tensor(shape=()) if isinstance(value, (int, float)) else value
        run_operator(interp, operator, {"0": view, "1": given}, node, label=label)


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
    elif not isinstance(index, Slice):
        items.rest = value


def _set_object_item(
    interp: Interpreter, owner: Instance, index: Value, value: Value, node: ast.AST
) -> None:
    if has_method(owner, "__setitem__"):
        call_method(interp, owner, "__setitem__", [index, value], node)
    elif (inner := held(owner)) is not None:
        interp.changes(inner)
        _put(interp, inner, index, value, node)
    elif isinstance(index, (str, int)):
        leaves.child_set(interp, owner, owner.attributes.get(str(index)), value, interp.place(node))
        owner.attributes[str(index)] = value
    elif is_module(owner) and is_module(value):
        add_child(owner, value)  # whatever its name is

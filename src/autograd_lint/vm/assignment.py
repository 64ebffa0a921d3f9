"""Binding values to names, attributes and elements."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.query import query
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.attributes import delete_attribute, set_attribute
from autograd_lint.vm.contents import tensor_of, tensors_in
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.dictionaries import content, held
from autograd_lint.vm.events import (
    ElementStored,
    NameBound,
    TensorRebound,
    ValueAssigned,
)
from autograd_lint.vm.instances import elements_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.subscripts import set_item
from autograd_lint.vm.values import (
    DATA,
    Instance,
    Items,
    Mapping,
    Slice,
    Unknown,
    Value,
    is_key,
)


def run_assign(interp: Interpreter, node: ast.Assign) -> None:
    """`a = b = value`."""
    value = interp.evaluate(node.value)
    for target in node.targets:
        assign(interp, target, value)


def run_annotated(interp: Interpreter, node: ast.AnnAssign) -> None:
    """`a: T = value`; without a value it binds nothing, and who reads the name then fails."""
    function = interp.frame.function
    if node.value is not None:
        assign(interp, node.target, interp.evaluate(node.value))
        return
    unbound = _unbound(function.node) if function is not None else frozenset()
    if isinstance(node.target, ast.Name) and node.target.id in unbound:
        raise ProgramRaises("UnboundLocalError")


@query
def _unbound(function: ast.AST) -> frozenset[str]:
    """The names that a function annotates and reads, but binds nowhere."""
    parts = list(ast.walk(function))
    plain = [part for part in parts if isinstance(part, ast.AnnAssign) and part.value is None]
    bare = {id(part.target) for part in plain}
    names = [part for part in parts if isinstance(part, ast.Name)]
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    stored = [name for name in names if not isinstance(name.ctx, ast.Load)]
    bound = {name.id for name in stored if id(name) not in bare} | _bound_otherwise(parts)
    return frozenset({name.id for name in stored if id(name) in bare} & read - bound)


def _bound_otherwise(parts: list[ast.AST]) -> set[str]:
    """The names of arguments, imports, definitions, handlers and patterns."""
    found = {part.arg for part in parts if isinstance(part, ast.arg)}
    for part in parts:
        if isinstance(part, ast.alias):
            found.add((part.asname or part.name).partition(".")[0])
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            found.update(part.names)
        else:
            found.add(str(getattr(part, "name", "")))
    return found


def element_written(interp: Interpreter, owner: Value, target: ast.Subscript, value: Value) -> None:
    """Elements of a tensor keep the graphs of what was written to them, and of those before."""
    if isinstance(owner, Tensor):
        interp.emit(ElementStored(target, owner, value))


def assign(
    interp: Interpreter, target: ast.expr, value: Value, statement: ast.AST | None = None
) -> None:
    """Bind `value` to an assignment target; `statement` is where a store would raise."""
    if isinstance(target, ast.Name):
        scope = interp.frame.scope
        _name(interp, value, target.id, target)
        _tell_bound(interp, target, scope.names.get(target.id), value)
        if target.id in scope.global_names and scope.module is not None:
            interp.replaces(scope.module.names, target.id)
        scope.bind(target.id, value)
        return
    interp.emit(ValueAssigned(value))
    if isinstance(target, ast.Attribute):
        owner = interp.evaluate(target.value)
        _name(interp, value, interp.text(target), target)
        set_attribute(interp, owner, target.attr, value, statement or target, target)
    elif isinstance(target, ast.Subscript):
        owner = interp.evaluate(target.value)
        index = interp.evaluate(target.slice)
        label = interp.text(target.value)
        if not isinstance(owner, Tensor):
            key = index if is_key(index) else None
            interp.emit(ElementStored(target, owner, value, key))
        set_item(interp, owner, index, value, statement or target, label)
        if statement is None:
            element_written(interp, owner, target, value)
    elif isinstance(target, ast.Starred):
        assign(interp, target.value, value, statement)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(interp, target, value)


def _tell_bound(interp: Interpreter, target: ast.Name, before: Value, value: Value) -> None:
    interp.emit(NameBound(target, before, value))
    old = tensor_of(before)
    new = tensor_of(value) if old is not None else None
    if old is not None and new is not None and old is not new:
        interp.emit(TensorRebound(target, old, new))


def _name(interp: Interpreter, value: Value, name: str, target: ast.expr) -> None:
    """Remember what the program calls a tensor, and where its graph was given a name."""
    if isinstance(value, (Items, Mapping)):
        for part in tensors_in(value, depth=2):
            _bind_graph(interp, part, name, target)
    if isinstance(value, Unknown):
        value.named = value.named or name
    tensor = tensor_of(value)
    if tensor is not None:
        tensor.name = tensor.name or name
        _bind_graph(interp, tensor, name, target)


def _bind_graph(interp: Interpreter, tensor: Tensor, name: str, target: ast.expr) -> None:
    node = tensor.node
    if node is None:
        return
    place = interp.place(target)
    if node.bound is None:
        node.bound, node.name = place, name
    node.kept[interp.frame.mark] = place, name


def _unpack(interp: Interpreter, target: ast.Tuple | ast.List, value: Value) -> None:
    parts = target.elts
    value = content(materialized(value))
    if isinstance(value, Tensor) and value.parameter and value.shape is None:
        value = Unknown(interp.text(target), weight=DATA)  # hardly rows: names with parameters
    elif isinstance(value, Tensor):
        value = interp.models.elements.rows(interp, value, len(parts), target)
    elif isinstance(value, Instance) and value.unknown is None and elements_of(value):
        value = Items("tuple", elements_of(value))
    starred = [i for i, part in enumerate(parts) if isinstance(part, ast.Starred)]
    if starred:
        _unpack_starred(interp, parts, value, starred[0], target)
        return
    if isinstance(value, Items) and value.saving is not None and len(value.items) != len(parts):
        interp.models.refusals.count(interp, value, len(parts), target)
    for index, part in enumerate(parts):
        assign(interp, part, element(value, index, interp.text(target)))


def _unpack_starred(
    interp: Interpreter, parts: list[ast.expr], value: Value, star: int, node: ast.AST
) -> None:
    after = len(parts) - star - 1
    if not (isinstance(value, Items) and value.closed and len(value.items) >= len(parts) - 1):
        for index, part in enumerate(parts):
            origin = f"part {index} of {interp.text(node)}"
            assign(interp, part, Unknown(origin, weight=2, several=True))
        return
    items = value.items
    middle = items[star : len(items) - after]
    values = [*items[:star], Items("list", middle), *items[len(items) - after :]]
    for part, item in zip(parts, values, strict=True):
        assign(interp, part, item)


def element(value: Value, index: int, text: str) -> Value:
    """The element of a value at a known position."""
    if isinstance(value, Items):
        if index < len(value.items):
            return value.items[index]
        return _part(index, text) if value.rest is None else value.rest
    if isinstance(value, Mapping):
        keys = list(value.entries)
        return keys[index] if index < len(keys) else Unknown("a key")
    if isinstance(value, Unknown):
        name = f"part {index} of {value.origin}"
        found = value.derived(("part", index), name, value.element_hint)
        found.several = True
        return found
    return _part(index, text)


def _part(index: int, text: str) -> Unknown:
    return Unknown(f"part {index} of {text}", several=True)


def delete(interp: Interpreter, target: ast.expr) -> None:
    """`del target`."""
    if isinstance(target, ast.Name):
        interp.frame.scope.unbind(target.id)
    elif isinstance(target, ast.Attribute):
        delete_attribute(interp.evaluate(target.value), target.attr)
    elif isinstance(target, ast.Subscript):
        _delete_item(interp.evaluate(target.value), interp.evaluate(target.slice))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            delete(interp, part)


def _delete_item(owner: Value, index: Value) -> None:
    owner = held(owner) or owner
    if isinstance(owner, Mapping) and is_key(index):
        if index in owner.entries:
            del owner.entries[index]
    elif isinstance(owner, Items) and isinstance(index, Slice):
        known = index.known
        if known is not None:
            del owner.items[known]
        if known == slice(None):
            owner.rest = None
    elif isinstance(owner, Items) and isinstance(index, int) and _within(owner, index):
        del owner.items[index]


def _within(items: Items, index: int) -> bool:
    return -len(items.items) <= index < len(items.items)

"""Attributes by their names: `getattr`, `setattr`, `hasattr`, `delattr`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.attributes import (
    delete_attribute,
    get_attribute,
    set_attribute,
    store_attribute,
)
from autograd_lint.vm.calls import Call
from autograd_lint.vm.class_functions import opaque_bases
from autograd_lint.vm.graphs import put_away
from autograd_lint.vm.instances import computed_key, is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.package_members import any_definition, member_of
from autograd_lint.vm.string_facts import key_under
from autograd_lint.vm.values import (
    Class,
    External,
    Instance,
    Items,
    Module,
    Unknown,
    Value,
    by_default,
    constant,
)

Store = Callable[[Interpreter, Value, str, Value, ast.AST], None]


def _getattr(interp: Interpreter, call: Call) -> Value:
    value, name = call.get(0, "obj"), call.get(1, "name")
    if isinstance(name, Unknown) and isinstance(value, External):
        return member_of(interp, value, name, call.node)
    if isinstance(name, Unknown) and isinstance(value, Module):
        usual = by_default(name)
        if not isinstance(usual, str):
            return any_definition(interp, value, name, call.node)
        name = usual
    if isinstance(name, Unknown) and isinstance(value, Instance):
        usual = by_default(name)
        name = usual if isinstance(usual, str) else computed_key(value, name)
        if name is None and is_module(value):
            return interp.models.attributes.any_part(interp, value, call.node)
    if not isinstance(name, str):
        return Unknown(interp.text(call.node), weight=2)
    if len(call.args) > 2 and _lacks(interp, value, name):
        return call.args[2]
    return get_attribute(interp, value, name, call.node)


def _lacks(interp: Interpreter, value: Value, name: str) -> bool:
    """Whether a value has no attribute of a name, as far as that is known."""
    if isinstance(value, Instance):
        found = value.cls.find(name) if isinstance(value.cls, Class) else None
        return name not in value.attributes and not found
    if constant(value):
        return not hasattr(value, name)
    return interp.models.attributes.lacks(value, name)


def _setattr(interp: Interpreter, call: Call) -> Value:
    put_away(interp, call.get(2, "value"), call.node)
    return _set(interp, call, set_attribute)


def set_as_object(interp: Interpreter, call: Call) -> Value:
    """`object.__setattr__(object, name, value)`."""
    return _set(interp, call, store_attribute)


def _set(interp: Interpreter, call: Call, store: Store) -> Value:
    """Set an attribute as `store` does; whatever it is called, the object has it."""
    owner, name, value = call.get(0, "obj"), call.get(1, "name"), call.get(2, "value")
    if isinstance(name, str):
        store(interp, owner, name, value, call.node)
    elif isinstance(owner, Instance):
        owner.attributes[key_under(name, len(owner.attributes))] = value
    elif isinstance(owner, Unknown):
        store(interp, owner, interp.text(call.node), value, call.node)
    return None


def _delattr(interp: Interpreter, call: Call) -> Value:
    name = call.get(1, "name")
    if isinstance(name, str):
        delete_attribute(call.get(0, "obj"), name)
    return None


OBJECT = frozenset({"builtins.object"})  # the base that has what any object has
PLAIN_KINDS: dict[str, type] = {"list": list, "tuple": tuple, "set": set}


def _hasattr(interp: Interpreter, call: Call) -> Value:
    value, name = call.get(0, "obj"), call.get(1, "name")
    if isinstance(value, Instance) and isinstance(name, str):
        if name in value.attributes or (
            isinstance(value.cls, Class) and value.cls.find(name) is not None
        ):
            return True
        if _all_known(value):
            return name in value.options or interp.models.attributes.every_module_has(name)
        # What its own files never set, some base elsewhere would have to.
        text = interp.text(call.node)
        if _is_set(interp, value, name):
            return Unknown(text, hint="bool")
        return Unknown(text, hint="bool", usual=False, seldom=True)
    if isinstance(value, Class) and isinstance(name, str):
        if value.find(name) is not None or hasattr(object, name):
            return True
        if _known_bases(value, OBJECT):
            return False
    if isinstance(value, Tensor) and isinstance(name, str):
        known = interp.models.attributes.tensor_has(interp, value, name)
        return True if known else Unknown(interp.text(call.node), hint="bool")
    if isinstance(value, Items) and _is_plain_kind(value) and isinstance(name, str):
        return hasattr(PLAIN_KINDS[value.kind](), name)  # a type has more than its objects
    if constant(value) and isinstance(name, str):
        return hasattr(value, name)
    if isinstance(value, Unknown) and isinstance(name, str):
        return value.derived(("hasattr", name), interp.text(call.node), hint="bool")
    return Unknown(interp.text(call.node), hint="bool")


def _is_plain_kind(value: Items) -> bool:
    return value.kind in PLAIN_KINDS and not value.fields


def _is_set(interp: Interpreter, value: Instance, name: str) -> bool:
    """Whether the files that an object's class is known from set an attribute of that name."""
    classes = value.cls.mro() if isinstance(value.cls, Class) else ()
    return not classes or any(name in interp.query(cls.source, _set_names) for cls in classes)


@query
def _set_names(source: Source) -> frozenset[str]:
    """The attributes that a file sets of anything."""
    return frozenset(
        node.attr for node in source.each(ast.Attribute) if isinstance(node.ctx, ast.Store)
    )


def _all_known(value: Instance) -> bool:
    """Whether all that the object's class defines is known."""
    if isinstance(value.cls, Class):
        return _known_bases(value.cls, OBJECT | {"torch.nn.Module"})
    return value.cls.path.startswith("torch.nn.")


def _known_bases(cls: Class, known: frozenset[str]) -> bool:
    """Whether all outside bases of a class are among those that are known."""
    return not opaque_bases(cls) and known.issuperset(cls.external_bases())


ON_ATTRIBUTES: dict[str, Callable[[Interpreter, Call], Value]] = {
    "getattr": _getattr,
    "setattr": _setattr,
    "hasattr": _hasattr,
    "delattr": _delattr,
}

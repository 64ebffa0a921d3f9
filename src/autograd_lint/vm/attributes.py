"""Reading and setting attributes of any value."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.calls import Call, call_function
from autograd_lint.vm.dictionaries import held
from autograd_lint.vm.entered_modes import by_hand
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.frames import may_enter
from autograd_lint.vm.imports import (
    from_stars,
    namespace_member,
    settled,
    submodule,
)
from autograd_lint.vm.instances import (
    bind_to,
    call_method,
    has_method,
    instance_attribute,
    is_module,
    super_attribute,
)
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.members import is_enumeration, members_by_name
from autograd_lint.vm.package_members import names_of
from autograd_lint.vm.raising import ends_without_attribute
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.stand_ins import stand_in
from autograd_lint.vm.uncalled import result_of
from autograd_lint.vm.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Module,
    Namespace,
    Super,
    Unknown,
    Value,
)

# By which functions and classes say what they are called.
NAMES = ("__name__", "__qualname__")
# The named results of operators that return several (`torch.return_types`).
FIELDS = {
    "values": 0,
    "indices": 1,
    "Q": 0,
    "R": 1,
    "U": 0,
    "S": 1,
    "V": 2,
    "Vh": 2,
    "eigenvalues": 0,
    "eigenvectors": 1,
    "solution": 0,
    "mantissa": 0,
    "exponent": 1,
}


def get_attribute(interp: Interpreter, value: Value, name: str, node: ast.AST) -> Value:
    """`value.name`."""
    value = materialized(value)
    if type(value) is Bound and not name.startswith("__"):
        value = materialized(result_of(interp, value))
    if isinstance(value, Instance):
        return instance_attribute(interp, value, name, node)
    if isinstance(value, Tensor):
        return interp.models.attributes.tensor(interp, value, name, node)
    if isinstance(value, External):
        called = _class_name(value) if name in NAMES else None
        return called or interp.models.attributes.external(interp, f"{value.path}.{name}")
    if isinstance(value, Unknown):
        known = stand_in(interp, value)
        if known is not None:
            return instance_attribute(interp, known, name, node)
        return interp.models.attributes.unknown(interp, value, name, node)
    if isinstance(value, (Namespace, Super, Class, Module)):
        return _defined_in(interp, value, name, node)
    if isinstance(value, Items):
        part = _named_part(value, name)
        if not isinstance(part, Missing):
            return part
    if isinstance(value, (Function, GradMode)) and (own := _own_member(value, name)):
        return own
    told = interp.models.refusals.attribute(interp, value, name, node)
    if value is None:
        return _attribute_of_none(interp, name, node, told)
    if not told:
        ends_without_attribute(interp, value, name)
    if isinstance(value, (Items, Mapping, str)):
        return Bound(value, name)
    return Unknown(interp.text(node))


def _own_member(value: Function | GradMode, name: str) -> Value:
    """What is known of a function, or of a context for grad mode, under a name."""
    if isinstance(value, GradMode):
        return by_hand(value, name)
    if name in NAMES:
        return value.alias or value.name
    return value.setter if name == "fset" else None


def _defined_in(
    interp: Interpreter, place: Namespace | Super | Class | Module, name: str, node: ast.AST
) -> Value:
    """What a class or a module defines under a name."""
    if isinstance(place, Namespace):
        return namespace_member(interp, place, name)
    if isinstance(place, Super):
        return super_attribute(interp, place, name, node)
    if isinstance(place, Class):
        return _class_attribute(interp, place, name, node)
    return module_attribute(interp, place, name, node)


def _named_part(items: Items, name: str) -> Value | Missing:
    """A named field: of a named tuple, or of what an operator of torch returns."""
    if name == "_fields" and items.fields:
        return Items("tuple", list(items.fields))
    if name in items.fields:
        return items.items[items.fields.index(name)]
    position = FIELDS.get(name) if items.kind == "tuple" else None
    if position is None or position >= len(items.items):
        return MISSING
    return items.items[position]


def _attribute_of_none(interp: Interpreter, name: str, node: ast.AST, told: bool) -> Value:
    """An attribute of None, which may be a `.grad` for which a gradient takes the place."""
    if isinstance(node, ast.Attribute):
        gradient = interp.models.attributes.absent_gradient(interp, node.value)
        if gradient is not None:
            return interp.models.attributes.tensor(interp, gradient, name, node)
    if interp.whole and not (told or interp.models.refusals.absent(interp, name, node)):
        ends_without_attribute(interp, None, name)
    return Unknown(interp.text(node))


def module_attribute(interp: Interpreter, module: Module, name: str, node: ast.AST) -> Value:
    """A name of an imported module, or a module inside it."""
    if name in module.scope.names:
        return settled(interp, module.scope, name)
    found = from_stars(interp, module.scope, name) or submodule(interp, module, name)
    if found is not None:
        return found
    if name == "__dict__":
        return names_of(module, interp.text(node))
    path = module.source.stands_for
    return (
        interp.models.attributes.external(interp, f"{path}.{name}")
        if path
        else Unknown(interp.text(node))
    )


def _class_attribute(interp: Interpreter, cls: Class, name: str, node: ast.AST) -> Value:
    found = cls.find(name)
    if found is None and any(name in own.attributes for own in cls.mro()):
        return None
    if found is None:
        return _about_class(cls, name) or Bound(cls, name)
    if getattr(found, "kind", "") == "classmethod" or isinstance(found, Instance):
        return bind_to(interp, found, cls, node)
    return found


def _class_name(external: External) -> str | None:
    """The name of a class of a package; None for a function, a module and who knows what."""
    name = external.path.rpartition(".")[2]
    return name if name.lstrip("_")[:1].isupper() else None


def _about_class(cls: Class, name: str) -> Value:
    """What every class says of itself; None for anything else."""
    if name in NAMES:
        return cls.name
    if name == "__bases__" and cls.bases:
        return Items("tuple", list(cls.bases))
    if name == "__dict__":
        return Mapping(dict(cls.attributes.items()))
    if name == "__members__" and is_enumeration(cls):
        return members_by_name(cls)
    return None


def set_attribute(
    interp: Interpreter,
    owner: Value,
    name: str,
    value: Value,
    node: ast.AST,
    target: ast.expr | None = None,
) -> None:
    """`owner.name = value`; `target` is what a statement assigns to."""
    owner = materialized(owner)
    if isinstance(owner, Unknown):
        owner = stand_in(interp, owner) or owner
    taking = _taking_attributes(owner)
    if isinstance(taking, Function) and may_enter(interp.frames, taking):
        call_function(interp, taking, Call([name, value], {}, node), owner)
        return
    setter = _setter(owner, name, value)
    if isinstance(setter, Instance):
        call_method(interp, setter, "__set__", [owner, value], node)
        return
    if setter is not None and may_enter(interp.frames, setter):
        call_function(interp, setter, Call([value], {}, node), owner)
        return
    store_attribute(interp, owner, name, value, node, target)


def _taking_attributes(owner: Value) -> Value:
    """What the class of an object says becomes of its attributes; those of modules are kept by the
    `__setattr__` of torch."""
    if not isinstance(owner, Instance) or not isinstance(owner.cls, Class) or is_module(owner):
        return None
    return owner.cls.find("__setattr__")


def store_attribute(
    interp: Interpreter,
    owner: Value,
    name: str,
    value: Value,
    node: ast.AST,
    target: ast.expr | None = None,
) -> None:
    """`object.__setattr__(owner, name, value)`: nothing of the program is run for it."""
    interp.emit(AttributeSet(owner, name, value, node, target))
    if isinstance(owner, (Class, Module)):
        interp.replaces(owner.attributes if isinstance(owner, Class) else owner.scope.names, name)
    if isinstance(owner, Tensor):
        interp.models.attributes.set_of_tensor(interp, owner, name, value, node)
    elif is_module(owner):
        interp.models.attributes.set_of_module(interp, owner, name, value, node)
    elif isinstance(owner, Instance) and owner.attributes.get("__dict__") is owner:
        _set_entry(interp, owner, name, value)
    elif isinstance(owner, (Instance, Class)):
        owner.attributes[name] = value
    elif isinstance(owner, Unknown):
        owner.attributes["attribute", name] = value
        interp.models.attributes.set_of_unknown(interp, owner, name, value, node)
    elif isinstance(owner, Module):
        owner.scope.names[name] = value
    if isinstance(owner, (Class, Module)) and interp.whole and not interp.importing:
        own, meddled = interp.world.source.filename, interp.world.imported.meddled
        meddled.update({owner.source.filename} - {own})


def _set_entry(interp: Interpreter, owner: Instance, name: str, value: Value) -> None:
    """Set an attribute of a dictionary that is its own `__dict__`: it is an entry."""
    inner = held(owner)
    if inner is None:
        owner.attributes[name] = value
    else:
        interp.changes(inner)
        inner.entries[name] = value


def _setter(owner: Value, name: str, value: Value) -> Function | Instance | None:
    """What the class of an object runs where this attribute is set: that of a property, or a
    descriptor.

    A module takes parameters and modules itself. Source: `Module.__setattr__` in
    torch/nn/modules/module.py.
    """
    if not isinstance(owner, Instance) or not isinstance(owner.cls, Class):
        return None
    if is_module(owner) and (is_module(value) or (isinstance(value, Tensor) and value.parameter)):
        return None
    found = owner.cls.find(name)
    if isinstance(found, Instance) and has_method(found, "__set__"):
        return found
    return found.setter if isinstance(found, Function) else None


def delete_attribute(owner: Value, name: str) -> None:
    """`del owner.name`."""
    if isinstance(owner, (Instance, Class)):
        owner.attributes.pop(name, None)

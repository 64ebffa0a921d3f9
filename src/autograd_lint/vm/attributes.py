"""Reading and setting attributes of any value."""

from __future__ import annotations

import ast

from autograd_lint.checkers import functions, leaves
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.severing import Severed, leaf_node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.packages import CONSTANTS
from autograd_lint.libraries.torch.apply import as_tensor
from autograd_lint.libraries.torch.evidence import is_parameter
from autograd_lint.libraries.torch.function_bodies import refuse_member as refuse_in_backward
from autograd_lint.libraries.torch.module_members import (
    MEMBERS,
    as_member,
    refuse_member,
    set_members,
)
from autograd_lint.libraries.torch.non_tensors import (
    refuse_absent,
    refuse_container,
    refuse_number,
    refuse_taken,
)
from autograd_lint.libraries.torch.tensor_attributes import (
    set_tensor_attribute,
    tensor_attribute,
)
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.imports import (
    external,
    from_stars,
    namespace_member,
    settled,
    submodule,
)
from autograd_lint.vm.instances import (
    bind_to,
    instance_attribute,
    is_module,
    super_attribute,
)
from autograd_lint.vm.machine import Interpreter
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
    Property,
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
    if isinstance(value, Instance):
        return instance_attribute(interp, value, name, node)
    if isinstance(value, Tensor):
        return tensor_attribute(interp, value, name, node)
    if isinstance(value, External):
        path = f"{value.path}.{name}"
        if path == "torch.__version__":
            return interp.world.table.torch_version
        return CONSTANTS[path] if path in CONSTANTS else external(path)
    if isinstance(value, Unknown):
        if value.hint == "number":
            refuse_taken(interp, value, name, node)
        source = _graph_of(interp, value) if name == "data" else None
        if source is not None:
            return _data(interp, value, source, node)
        return value.attribute(name)
    if isinstance(value, Namespace):
        return namespace_member(interp, value, name)
    if isinstance(value, Super):
        return super_attribute(interp, value, name, node)
    if isinstance(value, Class):
        return _class_attribute(interp, value, name, node)
    if isinstance(value, Module):
        return module_attribute(interp, value, name, node)
    if isinstance(value, Items) and name in value.fields:
        return value.items[value.fields.index(name)]
    if isinstance(value, Items) and value.kind == "tuple" and name in FIELDS:
        position = FIELDS[name]
        if position < len(value.items):
            return value.items[position]
    if value is None or isinstance(value, Items):
        refuse_in_backward(interp, value, name, node)
    if isinstance(value, (Items, Mapping)):
        refuse_container(interp, value, name, node)
    if isinstance(value, (Items, Mapping, str)):
        return Bound(value, name)
    if isinstance(value, Function) and name in NAMES:
        return value.alias or value.name
    if name == "backward" and isinstance(value, (int, float)):
        refuse_number(interp, value, node)
    if value is None and isinstance(node, ast.Attribute):
        gradient = leaves.absent_gradient(interp, node.value)
        if gradient is not None:
            return tensor_attribute(interp, gradient, name, node)
    if value is None and interp.whole:
        refuse_absent(interp, name, node)
    return Unknown(interp.text(node))


def _graph_of(interp: Interpreter, value: Unknown) -> Node | None:
    """The graph that something unknown comes from, or begins where it is a parameter."""
    if value.source is not None or not is_parameter(interp, value):
        return value.source
    tensor = as_tensor(interp, value)
    return leaf_node(tensor) if tensor is not None and tensor.requires is not None else None


def _data(interp: Interpreter, value: Unknown, source: Node, node: ast.AST) -> Value:
    """`.data` of what comes from a graph: its values, without the graph."""
    found = value.attribute("data")
    if isinstance(found, Unknown) and not found.severed:
        event = Created(interp.place(node), ".data")
        found.severed = (Severed(event, source, source.requires),)
        found.source = None
    return found


def module_attribute(interp: Interpreter, module: Module, name: str, node: ast.AST) -> Value:
    """A name of an imported module, or a module inside it."""
    if name in module.scope.names:
        return settled(interp, module.scope, name)
    starred = from_stars(interp, module.scope, name)
    return (
        submodule(interp, module, name) or Unknown(interp.text(node))
        if starred is None
        else starred
    )


def _class_attribute(interp: Interpreter, cls: Class, name: str, node: ast.AST) -> Value:
    found = cls.find(name)
    if found is None and any(name in own.attributes for own in cls.mro()):
        return None
    if found is None:
        return _about_class(cls, name) or Bound(cls, name)
    if getattr(found, "kind", "") == "classmethod":
        return bind_to(interp, found, cls, node)
    return found


def _about_class(cls: Class, name: str) -> Value:
    """What every class says of itself; None for anything else."""
    if name in NAMES:
        return cls.name
    if name == "__bases__" and cls.bases:
        return Items("tuple", list(cls.bases))
    if name == "__dict__":
        return Mapping(dict(cls.attributes.items()))
    return None


def set_attribute(
    interp: Interpreter, owner: Value, name: str, value: Value, node: ast.AST
) -> None:
    """`owner.name = value`."""
    owner = materialized(owner)
    leaves.attribute_set(interp, owner, name, value, node)
    functions.kept(interp, owner, name, node)
    if isinstance(owner, (Class, Module)):
        interp.replaces(owner.attributes if isinstance(owner, Class) else owner.scope.names, name)
    if isinstance(owner, Tensor):
        set_tensor_attribute(interp, owner, name, value, node)
    elif name in MEMBERS and is_module(owner) and isinstance(value, Mapping):
        set_members(owner, value)
    elif isinstance(owner, (Instance, Class)):
        _set_own(interp, owner, name, value, node)
    elif isinstance(owner, Unknown):
        owner.attributes["attribute", name] = value
    elif isinstance(owner, Module):
        owner.scope.names[name] = value
    if isinstance(owner, (Class, Module)) and interp.whole and not interp.importing:
        interp.world.meddled.update({owner.source.filename} - {interp.world.source.filename})


def _set_own(
    interp: Interpreter, owner: Instance | Class, name: str, value: Value, node: ast.AST
) -> None:
    """An attribute of an object or class, unless it is one that the interpreter computes."""
    if is_module(owner):
        refuse_member(interp, owner, name, value, node)
        if isinstance(owner.attributes.get(name), Property):
            return  # what is set goes to the originals
        value = as_member(owner, name, value)
    owner.attributes[name] = value


def delete_attribute(owner: Value, name: str) -> None:
    """`del owner.name`."""
    if isinstance(owner, (Instance, Class)):
        owner.attributes.pop(name, None)

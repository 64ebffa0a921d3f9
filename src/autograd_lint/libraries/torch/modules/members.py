"""What a module is made of: how members are registered, what it takes as one, `_parameters`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeGuard

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import AttributeRegistered
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN, is_made
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.training.running import in_forward
from autograd_lint.project.module_names import is_named_as_module
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.events import PartSet
from autograd_lint.vm.graphs import put_away
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.string_facts import HOLE, key_under, outline
from autograd_lint.vm.values import (
    Class,
    Instance,
    Mapping,
    Property,
    Unknown,
    Value,
)

MEMBERS = {"_parameters", "_modules"}
ON_CPU = Assumption(Kind.MADE_ON_CPU)
STAYS = Assumption(Kind.RUNS_ON_CPU, weight=2)  # a buffer that has gone elsewhere is no leaf
TAKING_OUT = ("delattr(", "._parameters[")  # by which a module's members are taken out of it


def set_module_attribute(
    interp: Interpreter, owner: Instance, name: str, value: Value, node: ast.AST
) -> None:
    """`module.name = value`."""
    if name in MEMBERS and isinstance(value, Mapping):
        _set_members(owner, value)
        return
    _refuse_member(interp, owner, name, value, node)
    if isinstance(value, Unknown) and is_made(value) and _is_named_as_module(owner, name):
        value.attributes.setdefault(GIVEN, True)
    if not isinstance(owner.attributes.get(name), Property):  # what is set goes to its originals
        owner.attributes[name] = _as_member(owner, name, value)


def _is_named_as_module(owner: Instance, name: str) -> bool:
    """Whether an attribute of a module is called as what it is made of is, and its class runs it.

    self.encoder = build(config)
    """
    cls = owner.cls
    if not isinstance(cls, Class) or not is_named_as_module(name):
        return False
    return f"self.{name}(" in cls.source.segment(cls.node)


def _refuse_member(
    interp: Interpreter, owner: Instance, name: str, value: Value, node: ast.AST
) -> None:
    """Report a plain tensor under the name of a parameter or submodule, which takes its like only.

    What is no tensor at all is let pass: there a module means to be of another kind by then.

    Source: `Module.__setattr__` in torch/nn/modules/module.py.
    """
    present = owner.attributes.get(name)
    if _is_parameter(present):
        detail = f"cannot assign as parameter '{name}' (torch.nn.Parameter or None expected)"
    elif is_module(present):
        detail = f"cannot assign as child module '{name}' (torch.nn.Module or None expected)"
    else:
        return
    if not _is_plain(value) or _sets_itself(owner):
        return
    # A parameter that went to another device before it got its name is a plain tensor by then.
    moved = isinstance(present, Tensor) and present.storage.elsewhere
    because = frozenset({ON_CPU}) if moved else CERTAINLY
    if not interp.query(interp.source, _takes_out):
        made = value.node.created if value.node is not None else None
        refuse(interp, node, "__setattr__", detail, tensor=name, built=made, assumptions=because)


@query
def _takes_out(source: Source) -> bool:
    return any(mark in source.text for mark in TAKING_OUT)


def _sets_itself(owner: Instance) -> bool:
    """Whether the object's class sets attributes in a way of its own."""
    return isinstance(owner.cls, Class) and owner.cls.find("__setattr__") is not None


def _is_plain(value: Value) -> TypeGuard[Tensor]:
    """Whether a value is a tensor that an operator made: surely no parameter."""
    if not isinstance(value, Tensor):
        return False
    opaque = value.node is not None and value.node.opaque
    return value.made is not None and not opaque and not value.parameter


class _Members(dict[Value, Value]):
    """A dictionary of a module's members: what is put into it the module gets, or loses."""

    def __init__(self, owner: Instance, entries: dict[Value, Value]) -> None:
        super().__init__(entries)
        self._owner = owner

    def __setitem__(self, name: Value, value: Value) -> None:
        super().__setitem__(name, value)
        if isinstance(name, str):
            set_member(self._owner, name, value)

    def __delitem__(self, name: Value) -> None:
        super().__delitem__(name)
        if isinstance(name, str):
            self._owner.attributes.pop(name, None)

    def forget(self, interp: Interpreter, origin: str) -> None:
        """Any of the members may be replaced by something that is not known."""
        for name in list(self):
            self[name] = as_tensor(interp, Unknown(origin))


def forget_members(interp: Interpreter, mapping: Mapping, origin: str) -> None:
    """A dictionary is updated with what is not known: if it is one of members, the module is."""
    if isinstance(mapping.entries, _Members):
        mapping.entries.forget(interp, origin)


def _as_member(owner: Instance, name: str, value: Value) -> Value:
    """What a module has under the name of a parameter that is set to something unknown: another
    parameter, for nothing else is taken.

    Source: `Module.__setattr__` in torch/nn/modules/module.py.
    """
    if not isinstance(value, Unknown) or value.tensor is not None or value.hint:
        return value
    if not _is_parameter(owner.attributes.get(name)) or _sets_itself(owner):
        return value
    because = frozenset({Assumption(Kind.REQUIRES_GRAD, value.origin, weight=value.weight)})
    value.tensor = Tensor(requires=because, parameter=True, name=value.origin)
    return value.tensor


def members(instance: Instance, name: str) -> Mapping:
    """`_parameters` or `_modules` of a module."""
    wanted = _is_parameter if name == "_parameters" else is_module
    found: dict[Value, Value] = {
        key: value for key, value in instance.attributes.items() if wanted(value)
    }
    return Mapping(_Members(instance, found))


def _set_members(instance: Instance, value: Mapping) -> None:
    """`module._parameters = {...}`."""
    for name, member in value.entries.items():
        if isinstance(name, str):
            set_member(instance, name, member)


def set_member(instance: Instance, name: str, value: Value) -> None:
    """A module's member is replaced, past all checks: a parameter may be no leaf.

    Who puts one there that does not require grad has frozen it on purpose.
    """
    instance.attributes[name] = value
    if isinstance(value, Tensor):
        value.parameter = True
        value.graph_breaks = () if value.requires_grad is None else value.graph_breaks


def _is_parameter(value: Value) -> bool:
    return isinstance(value, Tensor) and value.parameter


def add_child(instance: Instance, value: Value) -> None:
    """Append to a container of modules."""
    instance.attributes[str(sum(key.isdigit() for key in instance.attributes))] = value


def _register(
    interp: Interpreter, instance: Instance, call: Call, *, buffer: bool = False
) -> Value:
    """Whatever the name is, the module has it."""
    name, value = call.get(0, "name"), call.get(1, "tensor", call.get(1, "param"))
    name = _name(instance, name)
    interp.emit(AttributeRegistered(instance, name, value, call.node, buffer))
    put_away(interp, value, call.node, _spoken(interp, call, name))
    instance.attributes[name] = value
    return None


def _spoken(interp: Interpreter, call: Call, name: str) -> str | None:
    """How the program speaks of an attribute that a method of its module registers."""
    function = call.node.func if isinstance(call.node, ast.Call) else None
    return f"{interp.text(function.value)}.{name}" if isinstance(function, ast.Attribute) else None


def _name(instance: Instance, name: Value) -> str:
    """The name of an attribute, or one for it where it is not known."""
    return name if isinstance(name, str) else key_under(name, len(instance.attributes))


def _register_parameter(interp: Interpreter, instance: Instance, call: Call) -> Value:
    value = call.get(1, "param")
    if isinstance(value, Tensor) and not value.parameter and value.made is not None:
        detail = "cannot assign a tensor to a parameter (torch.nn.Parameter or None required)"
        made = value.node.created if value.node is not None else None
        refuse(interp, call.node, "register_parameter", detail, tensor=value.name, built=made)
    return _register(interp, instance, call)


def _register_buffer(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """What is only assumed to require grad does not: who makes a buffer of it takes it for data.

    That does not go for what is computed while the module is trained. A parameter that is a buffer
    as well is there to stay as it is; one that is made for the buffer alone is none of the module's
    parameters, and no leaf any more where the module has gone to another device. Source:
    `register_buffer` and `_apply` in torch/nn/modules/module.py
    """
    tensor, name = tensor_of(call.get(1, "tensor")), call.get(0, "name")
    if tensor is not None:
        computed = tensor.node is not None and bool(tensor.node.edges)
        if tensor.requires_grad and not (computed and in_forward(interp)):
            tensor.requires, tensor.node, tensor.base = None, None, None
        elif tensor.node is None and tensor.requires == CERTAINLY and _moves_modules(interp):
            tensor.requires = frozenset({STAYS})
        if tensor.parameter and isinstance(_code_of_buffer(call.node), ast.Call):
            tensor.parameter = False
        if tensor.name is None and isinstance(name, str):
            tensor.name = name
    return _register(interp, instance, call, buffer=True)


def _moves_modules(interp: Interpreter) -> bool:
    """Whether the project speaks of devices other than the CPU."""
    return bool(interp.world.project.speaking("cuda"))


def _code_of_buffer(node: ast.AST) -> ast.expr | None:
    """The code of what `register_buffer(name, tensor)` registers."""
    if not isinstance(node, ast.Call):
        return None
    named = (one.value for one in node.keywords if one.arg == "tensor")
    return next(named, node.args[1] if len(node.args) > 1 else None)


def _register_module(interp: Interpreter, instance: Instance, call: Call) -> Value:
    name, module = call.get(0, "name"), call.get(1, "module")
    interp.emit(PartSet(instance, None, module, call.node))
    interp.record.grown.append(instance)
    if isinstance(name, str) or outline(name) != HOLE:
        instance.attributes[_name(instance, name)] = module
    else:
        add_child(instance, module)
    return None


def _setattr(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`module.__setattr__(name, value)`; whatever the name is, the module has it."""
    name, value = call.get(0, "name"), call.get(1, "value")
    name = _name(instance, name)
    before = instance.attributes.get(name)
    interp.emit(PartSet(instance, before, value, call.node))
    instance.attributes[name] = value
    return None


def _delattr(interp: Interpreter, instance: Instance, call: Call) -> Value:
    instance.attributes.pop(_name(instance, call.get(0, "name")), None)
    return None


REGISTERING: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    "register_buffer": _register_buffer,
    "register_parameter": _register_parameter,
    "register_module": _register_module,
    "add_module": _register_module,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
}

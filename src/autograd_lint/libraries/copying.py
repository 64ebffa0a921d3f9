"""`copy.deepcopy` of modules, tensors and containers."""

from __future__ import annotations

from dataclasses import replace

from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.views import follow_base
from autograd_lint.libraries.torch.events import ModuleCopied, TensorCopied
from autograd_lint.libraries.torch.modules.opaque_parameters import (
    COPIES,
    EVALUATED,
    TRAINED,
    module_of,
    opaque_parameter,
)
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import copied, tensors_in
from autograd_lint.vm.dictionaries import HELD, held
from autograd_lint.vm.instances import has_method, is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import is_member
from autograd_lint.vm.values import FOREIGN, Instance, Items, Mapping, Property, Unknown, Value

_MOST = 2_000  # values that are copied by one call


def deep_copy(interp: Interpreter, value: Value, call: Call) -> Value:
    """A copy that shares nothing with the original; only leaves can be copied.

    What the program's own memo holds is taken from there, by its identity, which is not followed:
    a tensor that may be there is no copy.
    """
    memo = call.get(1, "memo")
    known = tensors_in(value) if memo is not None else ()
    return _copy(interp, value, call, {id(tensor): tensor for tensor in known})


def shallow_copy(interp: Interpreter, value: Value, call: Call) -> Value:
    """`copy.copy`: of a tensor a leaf on the same memory, with a version counter of its own."""
    if isinstance(value, Tensor):
        copy = value.alias(value.storage.twin())
        copy.requires, copy.parameter = value.requires_grad, value.parameter
        return copy
    if isinstance(value, Items):
        return Items(value.kind, list(value.items), value.rest)
    if isinstance(value, Mapping):
        return Mapping(dict(value.entries), value.rest)
    if isinstance(value, Instance) and not is_member(value):
        attributes = dict(value.attributes)
        inner = held(value)
        if inner is not None:
            attributes[HELD] = copied(inner)
        return replace(value, attributes=attributes)
    if is_member(value):
        return value
    return Unknown(interp.text(call.node))


def _copy(interp: Interpreter, value: Value, call: Call, done: dict[int, Value]) -> Value:
    if id(value) in done:
        return done[id(value)]
    if is_member(value):
        return value
    if len(done) > _MOST:
        return Unknown(interp.text(call.node))
    if isinstance(value, Tensor):
        done[id(value)] = _tensor(interp, value, call)
    elif isinstance(value, Items):
        items = done[id(value)] = Items(value.kind, [], value.rest)
        items.items = [_copy(interp, item, call, done) for item in value.items]
    elif isinstance(value, Mapping):
        mapping = done[id(value)] = Mapping({}, value.rest)
        mapping.entries = {k: _copy(interp, v, call, done) for k, v in value.entries.items()}
    elif isinstance(value, Instance) and has_method(value, "__deepcopy__"):
        done[id(value)] = Unknown(interp.text(call.node), "module" if is_module(value) else "")
    elif isinstance(value, Instance):
        copy = done[id(value)] = Instance(
            value.cls, {}, value.options, value.unknown, value.made_at, value.made
        )
        copy.attributes = {k: _copy(interp, v, call, done) for k, v in value.attributes.items()}
        if is_module(value):
            interp.emit(ModuleCopied(copy, value))
    elif isinstance(value, Property):
        done[id(value)] = Unknown(interp.text(call.node))
    elif isinstance(value, Unknown):
        done[id(value)] = _unknown(interp, value, call)
    return done.get(id(value), value)


def _unknown(interp: Interpreter, value: Unknown, call: Call) -> Unknown:
    """A copy of something that is not known: where that is a module, with parameters of its own."""
    copied = Unknown(interp.text(call.node), value.hint, value.weight)
    if FOREIGN in value.attributes:
        copied.attributes[FOREIGN] = True
    if module_of(value) is value:
        copy, original = opaque_parameter(copied), opaque_parameter(value)
        if original.requires is None:
            copy.requires = None
        for mode in (EVALUATED, TRAINED):
            if mode in value.attributes:
                copied.attributes[mode] = value.attributes[mode]
        interp.emit(TensorCopied(copy, original, call.node))
        interp.emit(ModuleCopied(copied, value))
    elif value.root is value:
        copies = value.attributes.setdefault(COPIES, Items("list", []))
        assert isinstance(copies, Items)
        copies.items.append(copied)
    return copied


def _tensor(interp: Interpreter, tensor: Tensor, call: Call) -> Tensor:
    follow_base(interp.engine, tensor, interp.place(call.node))
    if tensor.node is not None and not tensor.node.opaque:
        detail = "Only Tensors created explicitly by the user support the deepcopy protocol"
        refuse(
            interp,
            call.node,
            "deepcopy",
            detail,
            tensor=tensor.name,
            built=tensor.node.created,
            assumptions=tensor.requires_grad or CERTAINLY,
        )
    copy = Tensor(
        requires=tensor.requires if tensor.node is None else None,
        dtype=tensor.dtype,
        shape=tensor.shape,
        parameter=tensor.parameter,
        contiguous=tensor.contiguous,
        name=tensor.name,
    )
    interp.emit(TensorCopied(copy, tensor, call.node))
    return copy

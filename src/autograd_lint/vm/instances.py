"""Objects: making them, their attributes and methods, calling them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TypeGuard, cast

from autograd_lint.checkers import unoptimized
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.libraries.torch.opaque_modules import made_module
from autograd_lint.project.code import code_of, once
from autograd_lint.vm import tables
from autograd_lint.vm.calls import Call, call_function, call_value
from autograd_lint.vm.dictionaries import METHODS, held
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    BUFFERS,
    DATA,
    Bound,
    Class,
    Counter,
    External,
    FieldDefault,
    Function,
    Instance,
    Mapping,
    Method,
    Native,
    Property,
    Super,
    Unknown,
    Value,
)

# Calls that return neither layers nor parameters where their result is assigned, and those that
# give an object none where it is not.
TENSORS = {f"torch.nn.{name}" for name in ("Parameter", "parameter.Parameter", "Buffer")}
OF_TENSORS = TENSORS | {"torch.Tensor"}
MODULES = ("torch.nn.", "einops.layers.torch.")  # packages whose classes are modules
WITHOUT_PARTS = {
    ast.Assign: re.compile(
        r"(?:len|int|float|str|bool|list|tuple|dict|set|range|zip|min|max|sum|abs|isinstance)$"
        r"|(?:np|numpy|math)\.|torch\.(?!nn\b|hub\b)|self\.\w+\."
    ),
    ast.Expr: re.compile(r"super\(|self\.register_buffer$|print$|warnings\.|logg"),
}


def external_class(instance: Instance) -> list[str]:
    """The dotted names of the outside classes an object is an instance of."""
    if isinstance(instance.cls, External):
        return [instance.cls.path]
    return instance.cls.external_bases()


def is_module_class(cls: Class) -> bool:
    """Whether a class of the program derives from `nn.Module` or something under `torch.nn`."""
    return any(
        (path.startswith("torch.nn.") and path not in TENSORS) or path.endswith("Module")
        for path in cls.external_bases()
    )


def is_module(value: Value) -> TypeGuard[Instance]:
    """Whether a value is a module (`nn.Module`)."""
    if not isinstance(value, Instance):
        return False
    if isinstance(value.cls, Class):
        return is_module_class(value.cls)
    return value.cls.path.startswith(MODULES)


def children(value: Instance) -> list[Value]:
    """The submodules of a module in order, those among the elements of a list that are not known
    as well."""
    return [
        child
        for name, child in value.attributes.items()
        if is_module(child) or (isinstance(child, Unknown) and name.isdigit())
    ]


def instantiate(interp: Interpreter, cls: Class, call: Call) -> Value:
    """Make an object of a class of the program."""
    if any(path == "torch.autograd.Function" for path in cls.external_bases()):
        _warn_of_object(interp, cls, call)
        return Native(cls.name, _called_instance(cls))
    if not OF_TENSORS.isdisjoint(cls.external_bases()):
        # What operators make of it is its own to say; it may require grad or not.
        return Unknown(interp.text(call.node), weight=2)
    if interp.impatient and is_module_class(cls) and _has_parts(interp, cls):
        interp.gave_up = True
        return made_module(interp, call, cls)
    instance = new_instance(cls, call)
    initialize(interp, instance, cls, call)
    if is_module(instance):
        tables.made(interp, instance)
        unoptimized.made(interp, instance)
    return instance


def _has_parts(interp: Interpreter, cls: Class) -> bool:
    """Whether making a module may give it layers or parameters."""
    initializers = [own.attributes.get("__init__") for own in cls.mro()]
    functions = [value for value in initializers if isinstance(value, Function)]
    return any(once(one.written.node, "makes parts", _makes_parts) for one in functions)


def _makes_parts(initializer: ast.AST) -> bool:
    """Whether an `__init__` sets attributes to what calls return, other than plain values.

    Its own methods may set them as well, and `add_module` and its like do.
    """
    calls = (
        (type(node), node.value)
        for node in ast.walk(initializer)
        if isinstance(node, (ast.Assign, ast.Expr))
    )
    return any(
        isinstance(value, ast.Call) and not WITHOUT_PARTS[kind].match(code_of(value.func))
        for kind, value in calls
    )


def _warn_of_object(interp: Interpreter, cls: Class, call: Call) -> None:
    """Note an object of a custom Function, of which PyTorch warns: its own `__init__` does."""
    if isinstance(cls.find("__init__"), Function):
        return
    place = interp.place(call.node)
    interp.engine.note(
        Fault(
            FaultKind.CUSTOM_FUNCTION,
            place,
            operator=cls.name,
            built=Created(place, cls.name),
            detail="it should not be instantiated: the methods of a Function are all static",
            warned=True,
        )
    )


def _called_instance(cls: Class) -> Callable[[Interpreter, Call], Value]:
    """Calling an object of a custom Function, which only works by `apply`.

    Source: `LegacyMeta.__call__` and `Function.__call__` in torch/autograd/function.py.
    """

    def refuse(interp: Interpreter, call: Call) -> Value:
        place = interp.place(call.node)
        detail = "Legacy autograd function with non-static forward method is deprecated"
        built = Created(place, cls.name)
        engine = interp.engine
        # The error takes the place of the warning about the object.
        engine.faults[:] = [f for f in engine.faults if not (f.warned and f.operator == cls.name)]
        engine.report(
            Fault(FaultKind.CUSTOM_FUNCTION, place, operator=cls.name, built=built, detail=detail)
        )
        return Unknown(interp.text(call.node))

    return refuse


def new_instance(cls: Class, call: Call) -> Instance:
    """An object as it is before `__init__`."""
    instance = Instance(cls, made_at=call.node)
    if is_module_class(cls):
        instance.attributes["training"] = True
    return instance


def initialize(interp: Interpreter, instance: Instance, cls: Class, call: Call) -> None:
    """Run `__init__`, or what stands in for it."""
    from autograd_lint.libraries.torch.modules import initialize_external
    from autograd_lint.vm.classes import annotated_fields

    initializer = cls.find("__init__")
    if isinstance(initializer, Function):
        call_function(interp, initializer, call, instance)
        _lose_count(interp, instance, call)
        interp.watch.modules.append(instance)
    elif cls.dataclass:
        _fill_fields(interp, instance, annotated_fields(cls), call)
    else:
        initialize_external(interp, instance, call)


def _lose_count(interp: Interpreter, instance: Instance, call: Call) -> None:
    """Which of many rounds a constructor has kept in its object is not known afterwards."""
    given = {id(value) for value in (*call.args, *call.keywords.values())}
    for name, value in instance.attributes.items():
        if isinstance(value, Counter) and id(value) not in given:
            interp.replaces(instance.attributes, name)
            instance.attributes[name] = Unknown(name, "int")


def _fill_fields(interp: Interpreter, instance: Instance, names: list[str], call: Call) -> None:
    cls = instance.cls
    assert isinstance(cls, Class)
    for position, name in enumerate(names):
        if call.given(position, name):
            instance.attributes[name] = call.get(position, name)
        else:
            instance.attributes[name] = _default(interp, cls, name, call)
    if has_method(instance, "__post_init__"):
        call_method(interp, instance, "__post_init__", [], call.node)


def _default(interp: Interpreter, cls: Class, name: str, call: Call) -> Value:
    for own in cls.mro():
        if name in own.attributes:
            value = own.attributes[name]
            if isinstance(value, FieldDefault):
                return call_value(interp, value.factory, Call([], {}, call.node))
            return value
    return Unknown(name)


def instance_attribute(interp: Interpreter, instance: Instance, name: str, node: ast.AST) -> Value:
    """An attribute of an object: its own, its class's, or what an outside base gives."""
    from autograd_lint.libraries.torch.module_methods import external_attribute

    if name in instance.attributes:
        value = instance.attributes[name]
        return value.read(interp, node) if isinstance(value, Property) else value
    if isinstance(instance.cls, Class):
        found = instance.cls.find(name)
        if found is not None:
            return bind_to(interp, found, instance, node)
    value = external_attribute(interp, instance, name)
    if value is not None:
        return value
    inner = held(instance)
    if inner is not None and name in METHODS:
        return Bound(instance, name)
    if inner is not None and name in inner.entries:
        return inner.entries[name]  # by whatever makes attributes of its entries
    return _unset(interp, instance, name, node)


def _unset(interp: Interpreter, instance: Instance, name: str, node: ast.AST) -> Value:
    """An attribute that nobody set as far as can be seen: from now on always the same unknown."""
    if name == "__class__":
        return instance.cls
    if name == "__dict__" and isinstance(instance.cls, Class) and not is_module(instance):
        return Mapping(cast(dict[object, Value], instance.attributes))
    if name.startswith("__"):
        return Unknown(name)
    if instance.fallback is not None:
        return instance.fallback(interp, name, node)
    fallback = instance.cls.find("__getattr__") if isinstance(instance.cls, Class) else None
    if isinstance(fallback, Function) and interp.may_enter(fallback):
        return call_function(interp, fallback, Call([name], {}, node), instance)
    interp.replaces(instance.attributes, name)
    found = instance.attributes[name] = Unknown(interp.text(node))
    if name in BUFFERS and is_module(instance):
        found.weight = DATA
    return found


def bind_to(interp: Interpreter, found: Value, receiver: Value, node: ast.AST) -> Value:
    """What a class attribute becomes when it is read through an object."""
    if not isinstance(found, Function):
        return found
    if found.kind == "property":
        return call_function(interp, found, Call([], {}, node), receiver)
    if found.kind == "staticmethod":
        return found
    if found.kind == "classmethod":
        cls = receiver.cls if isinstance(receiver, Instance) else receiver
        return Method(cls, found)
    return Method(receiver, found)


def super_attribute(interp: Interpreter, value: Super, name: str, node: ast.AST) -> Value:
    """`super().name`: looked up behind the class the code stands in."""
    receiver = value.receiver
    start = receiver.cls if isinstance(receiver, Instance) else receiver
    if not isinstance(start, Class):
        return Unknown(interp.text(node))
    order = list(start.mro())
    behind = order[order.index(value.owner) + 1 :] if value.owner in order else []
    for cls in behind:
        if name in cls.attributes:
            return bind_to(interp, cls.attributes[name], receiver, node)
    return Bound(receiver, name)


def has_method(value: Instance, name: str) -> bool:
    """Whether the object's own class defines the method."""
    return isinstance(value.cls, Class) and isinstance(value.cls.find(name), Function)


def call_method(
    interp: Interpreter, value: Instance, name: str, args: list[Value], node: ast.AST
) -> Value:
    """Call a method that the object's own class defines."""
    return call_value(interp, instance_attribute(interp, value, name, node), Call(args, {}, node))


def call_instance(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Call an object: `__call__`, or a module's `forward` and its hooks."""
    from autograd_lint.checkers.memory import evaluated
    from autograd_lint.libraries.torch.hooks import run_hooked

    if instance.hooks:
        return run_hooked(interp, instance, call, _forward)
    result = _forward(interp, instance, call)
    if instance.attributes.get("training") is False and interp.engine.recording:
        evaluated(interp, instance, result, call)
    return result


def _forward(interp: Interpreter, instance: Instance, call: Call) -> Value:
    from autograd_lint.libraries.torch.modules import forward_external

    for name in ("__call__", "forward"):
        method = instance.attributes.get(name)
        if isinstance(method, (Function, Method, Native)):
            return call_value(interp, method, call)
        if has_method(instance, name):
            found = instance_attribute(interp, instance, name, call.node)
            evaluates = instance.attributes.get("training") is False
            if isinstance(found, Method) and interp.engine.recording and not evaluates:
                interp.forwarded.add(found.function.node)
            return call_value(interp, found, call)
    return forward_external(interp, instance, call)

"""Objects: making them, their attributes and methods, calling them."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TypeGuard, cast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.calls import Call, call_function, call_value
from autograd_lint.vm.dictionaries import LIST_METHODS, METHODS, held, listed
from autograd_lint.vm.events import ConstructorRun, ModuleCalled, ModuleMade
from autograd_lint.vm.fields import fill_fields
from autograd_lint.vm.frames import may_enter
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import is_enumeration, member_with, members, plain_value
from autograd_lint.vm.raising import ends_unset
from autograd_lint.vm.string_facts import key_fitting, keys_of
from autograd_lint.vm.tables import means_another
from autograd_lint.vm.unfinished import made_in_part
from autograd_lint.vm.values import (
    BUFFERS,
    DATA,
    Bound,
    Class,
    External,
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

TENSORS = {f"torch.nn.{name}" for name in ("Parameter", "parameter.Parameter", "Buffer")}
MODULES = ("torch.nn.", "einops.layers.torch.")  # packages whose classes are modules

NEW = External("builtins.object.__new__")
_NAMING = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})


def external_class(instance: Instance) -> list[str]:
    """The dotted names of the outside classes an object is an instance of."""
    if isinstance(instance.cls, External):
        return [instance.cls.path]
    return instance.cls.external_bases()


def outside_name(instance: Instance) -> str:
    """The name of the outside class that an object was made of; empty for the program's own."""
    return instance.cls.path.rpartition(".")[2] if isinstance(instance.cls, External) else ""


def is_module_class(cls: Class) -> bool:
    """Whether a class of the program derives from `nn.Module` or something under `torch.nn`."""
    return any(map(_names_module, cls.external_bases()))


@lru_cache(10_000)
def _names_module(path: str) -> bool:
    """Whether an outside class of that dotted name is one of modules."""
    return (path.startswith("torch.nn.") and path not in TENSORS) or path.endswith("Module")


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


def named_parts(value: Value) -> Mapping | None:
    """What a `ModuleDict` or `ParameterDict` holds under its names now; None for anything else."""
    if not isinstance(value, Instance) or _NAMING.isdisjoint(external_class(value)):
        return None
    parts: dict[Value, Value] = {
        name: part
        for name, part in value.attributes.items()
        if is_module(part) or isinstance(part, Tensor)
    }
    return Mapping(parts, value.unknown)


def elements_of(value: Instance) -> list[Value]:
    """What goes through a module finds: its submodules, or the parameters that it numbers."""
    return children(value) or [one for name, one in value.attributes.items() if name.isdigit()]


def instantiate(interp: Interpreter, cls: Class, call: Call) -> Value:
    """Make an object of a class of the program."""
    made = interp.models.objects.make(interp, cls, call)
    if made is not None:
        return made
    if is_enumeration(cls) and members(cls):
        found = member_with(cls, call.get(0, "value"))
        return found or Unknown(f"a member of {cls.name}")
    if _is_another(cls, call):
        hint = "module" if is_module_class(cls) else ""
        return Unknown(f"another `{cls.name}`", hint)
    instance = _created(interp, cls, call)
    if not (isinstance(instance, Instance) and _is_one(instance, cls)):
        return instance
    interp.record.objects.append(instance)
    initialize(interp, instance, cls, call)
    if is_module(instance):
        interp.models.objects.made(interp, instance)
        interp.emit(ModuleMade(instance))
    return instance


def _created(interp: Interpreter, cls: Class, call: Call) -> Value:
    """What `__new__` makes: by a class's own, which may return an object that is there already."""
    creator = cls.find("__new__")
    if not isinstance(creator, Function) or not may_enter(interp.frames, creator):
        return new_instance(cls, call)
    given = Call([cls, *call.args], call.keywords, call.node, call.open, call.more)
    made = call_function(interp, creator, given)
    return new_instance(cls, call) if isinstance(made, Unknown) else made


def _is_one(instance: Instance, cls: Class) -> bool:
    """Whether an object is of a class, whose `__init__` Python runs then."""
    return isinstance(instance.cls, Class) and cls in instance.cls.mro()


def _is_another(cls: Class, call: Call) -> bool:
    """Whether a class takes no such call: the program means another one of that name."""
    initializer = cls.find("__init__")
    return isinstance(initializer, Function) and means_another(initializer, call.keywords)


def new_instance(cls: Class, call: Call) -> Instance:
    """An object as it is before `__init__`."""
    instance = Instance(cls, made_at=call.node)
    if is_module_class(cls):
        instance.attributes["training"] = True
    return instance


def initialize(interp: Interpreter, instance: Instance, cls: Class, call: Call) -> None:
    """Run `__init__`, or what stands in for it."""
    initializer = cls.find("__init__")
    if isinstance(initializer, Function):
        call_function(interp, initializer, call, instance)
        _lose_count(interp, instance, call)
        if initializer.name != "__init__" and instance.attributes.keys() <= {"training"}:
            made_in_part(instance)  # a decorator ran what it wraps in a way that is not followed
        interp.emit(ConstructorRun(instance))
    elif cls.dataclass:
        fill_fields(interp, instance, cls, call)
        if has_method(instance, "__post_init__"):
            call_method(interp, instance, "__post_init__", [], call.node)
    else:
        interp.models.objects.initialize(interp, instance, call)


def _lose_count(interp: Interpreter, instance: Instance, call: Call) -> None:
    """Which of many rounds a constructor has kept in its object is not known afterwards."""
    given = {id(value) for value in (*call.args, *call.keywords.values())}
    for name, value in instance.attributes.items():
        if isinstance(value, Counter) and id(value) not in given:
            interp.replaces(instance.attributes, name)
            instance.attributes[name] = Unknown(name, "int")


def instance_attribute(interp: Interpreter, instance: Instance, name: str, node: ast.AST) -> Value:
    """An attribute of an object: its own, its class's, or what an outside base gives."""
    if name in instance.attributes:
        value = instance.attributes[name]
        return value.read(interp, node) if isinstance(value, Property) else value
    if isinstance(instance.cls, Class):
        found = instance.cls.find(name)
        if found is not None:
            return bind_to(interp, found, instance, node)
    text = plain_value(instance)
    if isinstance(text, str) and hasattr(text, name):
        return Bound(text, name)
    value = interp.models.attributes.inherited(interp, instance, name)
    if type(value) is Bound:
        return Bound(value.receiver, value.name, node, interp.source)
    if value is not None:
        return value
    inner = held(instance)
    if inner is not None and name in METHODS:
        return Bound(instance, name)
    if inner is not None and name in inner.entries:
        return inner.entries[name]  # by whatever makes attributes of its entries
    if listed(instance) is not None and name in LIST_METHODS:
        return Bound(instance, name)
    return _unset(interp, instance, name, node)


def computed_key(instance: Instance, name: Unknown) -> str | None:
    """The key of an attribute that a computed name may mean, where all of those are alike."""
    found = list(keys_of(name, instance.attributes))
    kinds = {_kind(instance.attributes[key]) for key in found}
    return found[0] if len(kinds) == 1 else None


def _kind(value: Value) -> tuple[str, object]:
    cls = value.cls if isinstance(value, Instance) else None
    return type(value).__name__, cls.path if isinstance(cls, External) else id(cls)


def _unset(interp: Interpreter, instance: Instance, name: str, node: ast.AST) -> Value:
    """An attribute that nobody set as far as can be seen: from now on always the same unknown."""
    if name == "__class__":
        return instance.cls
    if name == "__dict__" and isinstance(instance.cls, Class) and not is_module(instance):
        return Mapping(cast(dict[Value, Value], instance.attributes))
    if name.startswith("__"):
        return Unknown(name)
    if instance.fallback is not None:
        return instance.fallback(interp, name, node)
    fallback = instance.cls.find("__getattr__") if isinstance(instance.cls, Class) else None
    if isinstance(fallback, Function) and may_enter(interp.frames, fallback):
        return call_function(interp, fallback, Call([name], {}, node), instance)
    key = key_fitting(name, instance.attributes)
    if key is not None:
        return instance.attributes[key]
    ends_unset(interp, instance)
    interp.replaces(instance.attributes, name)
    found = instance.attributes[name] = Unknown(interp.text(node), holder=instance)
    if name in BUFFERS and is_module(instance):
        found.weight = DATA
    return found


def bind_to(interp: Interpreter, found: Value, receiver: Value, node: ast.AST) -> Value:
    """What a class attribute becomes when it is read through an object."""
    if isinstance(found, Instance) and has_method(found, "__get__"):
        of_class = isinstance(receiver, Class)
        given = [None, receiver] if of_class else [receiver, getattr(receiver, "cls", None)]
        return call_method(interp, found, "__get__", given, node)
    if not isinstance(found, Function):
        return found
    if found.kind == "property" and isinstance(receiver, Class):
        return found
    if found.kind == "property":
        return call_function(interp, found, Call([], {}, node), receiver)
    if found.kind == "cached_property":
        return _cached(interp, found, receiver, node)
    if found.kind == "staticmethod":
        return found
    if found.kind == "classmethod":
        cls = receiver.cls if isinstance(receiver, Instance) else receiver
        return Method(cls, found)
    return Method(receiver, found)


def _cached(interp: Interpreter, found: Function, receiver: Value, node: ast.AST) -> Value:
    """What a property gives that keeps its first result as an attribute of its object."""
    if not isinstance(receiver, Instance):
        return found
    value = call_function(interp, found, Call([], {}, node), receiver)
    receiver.attributes[found.name] = value
    return value


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
    if name == "__new__":
        return NEW
    return Bound(receiver, name)


def has_method(value: Instance, name: str) -> bool:
    """Whether the object's own class defines the method."""
    return isinstance(value.cls, Class) and isinstance(value.cls.find(name), Function)


def special_method(interp: Interpreter, value: Instance, *names: str) -> str | None:
    """The first of some special methods that an object has, by its class or an outside base."""
    inherited = interp.models.attributes.inherited
    return next(
        (one for one in names if has_method(value, one) or inherited(interp, value, one)), None
    )


def call_method(
    interp: Interpreter, value: Instance, name: str, args: list[Value], node: ast.AST
) -> Value:
    """Call a method that an object has."""
    return call_value(interp, instance_attribute(interp, value, name, node), Call(args, {}, node))


def call_instance(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Call an object: `__call__`, or a module's `forward` and its hooks."""
    if instance.hooks:
        result = interp.models.objects.hooked(interp, instance, call, _forward)
    else:
        result = _forward(interp, instance, call)
    interp.emit(ModuleCalled(instance, graph_of(result), call), outside_name(instance))
    return result


def _forward(interp: Interpreter, instance: Instance, call: Call) -> Value:
    method = _own_method(interp, instance, "__call__", call.node)
    return (
        forward(interp, instance, call) if method is None else _run(interp, method, instance, call)
    )


def forward(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """What a module's own `__call__` gets from `super().__call__`: the result of `forward`."""
    method = _own_method(interp, instance, "forward", call.node)
    if method is None:
        return interp.models.objects.forward(interp, instance, call)
    return _run(interp, method, instance, call)


def _own_method(interp: Interpreter, instance: Instance, name: str, node: ast.AST) -> Value | None:
    """The method of that name that the object or its class has, if any."""
    method = instance.attributes.get(name)
    if isinstance(method, (Function, Method, Native)):
        return method
    return instance_attribute(interp, instance, name, node) if has_method(instance, name) else None


def _run(interp: Interpreter, method: Value, instance: Instance, call: Call) -> Value:
    if isinstance(method, Method):
        evaluates = instance.attributes.get("training") is False or not interp.engine.recording
        forwards = interp.record.forwards
        (forwards.evaluated if evaluates else forwards.trained).add(method.function.node)
    return call_value(interp, method, call)

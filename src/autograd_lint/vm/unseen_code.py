"""What a call of code that is not seen may do: the one place that says it.

Such code reaches what it is given and what that holds, the object whose method it is, the objects
of which it was given methods before, and, where it is a method of an unknown object, each object
of the program that has a method of that name: the unknown one may be it, unless a package made it
that was given no object of the program. What the methods of such an object set may have been set
anew. A constant that it holds is unknown from then on; a tensor keeps its graph, provided that the
code has left it alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.callbacks import Callbacks
from autograd_lint.vm.calls import Call
from autograd_lint.vm.classes import PLAIN
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import GivenToUnknownCode
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import LentTensors, OpaqueBackward
from autograd_lint.vm.values import (
    ARGUMENT,
    ELEMENT,
    FOREIGN,
    Class,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Unknown,
    Value,
    constant,
)

_PARTS = ("attribute", "item")
_DEPTH = 6  # containers and objects inside of each other that are looked into
_MOST = 500  # objects of one call that are looked at


def call_unseen(
    interp: Interpreter, call: Call, name: str = "", receiver: Instance | None = None
) -> None:
    """Code that is not seen is called: `name` is that of a method of an unknown object, `receiver`
    the object where a base outside of the program has the method."""
    interp.emit(GivenToUnknownCode(call))
    given = [*call.args, *call.keywords.values()]
    callbacks = interp.state(Callbacks)
    callbacks.may_have_run(interp)
    for value in given:
        _change(interp, value)
        callbacks.take(value)
    reached = list(islice((one for value in given for one in _objects(value, _DEPTH)), _MOST))
    if any(map(is_module, reached)) or any(map(_holds_parameters, given)):
        interp.state(OpaqueBackward).holds_modules = True
    own = [receiver] if receiver is not None and not _is_of_known_packages(receiver) else []
    if own:
        lent = (tensor for value in given for tensor in tensors_in(value, depth=2))
        interp.state(LentTensors).tensors.update(lent)
    for instance in [*own, *reached]:
        _doubt(interp, instance, _set_by_methods(instance), call)
    for instance in interp.record.objects if name else ():
        _doubt(interp, instance, _set_by(instance, name), call, weight=2)


def _holds_parameters(value: Value) -> bool:
    return any(tensor.parameter for tensor in tensors_in(value))


def reaches_objects(call: Call) -> bool:
    """Whether code that is called is given an object of the program, or what may be one."""
    given = [*call.args, *call.keywords.values(), *call.spread]
    return (call.open and not call.spread) or any(map(_may_be_object, given))


def _may_be_object(value: Value) -> bool:
    """Whether a value may hold objects that the run has made: what a caller gives, or a package
    has made, holds none."""
    if isinstance(value, Unknown):
        if ARGUMENT in value.attributes:
            return any(map(_may_be_object, _put_into(value)))
        told = value.hint or value.negates is not None or value.tensor is not None
        return not told and FOREIGN not in value.attributes and ELEMENT not in value.attributes
    return isinstance(value, (Function, Method)) or any(_objects(value, _DEPTH))


def _put_into(argument: Unknown) -> Iterator[Value]:
    """What the program has set as an attribute or item of something that a caller has given."""
    parts = argument.attributes.items()
    known = (part for key, part in parts if isinstance(key, tuple) and key[0] in _PARTS)
    return (part for part in known if part is not None and not isinstance(part, Unknown))


def _is_of_known_packages(instance: Instance) -> bool:
    """Whether all outside bases of an object are of packages that set nothing of the program's; of
    one that was not found that is not known."""
    cls = instance.cls
    if not isinstance(cls, Class):
        return cls.path.partition(".")[0] in PLAIN
    bases = [base for one in cls.mro() for base in one.bases]
    plain = all(path.partition(".")[0] in PLAIN for path in cls.external_bases())
    return plain and not any(isinstance(base, Unknown) for base in bases)


def _change(interp: Interpreter, value: Value) -> None:
    """What is handed in may come back changed: lists grown, empty tensors filled."""
    for tensor in tensors_in(value, depth=2):
        if tensor.shape and 0 in tensor.shape:
            tensor.shape = None
    if isinstance(value, Items) and value.kind == "list" and value.rest is None:
        value.rest = Unknown("an element", weight=2)
    for instance in _objects(value, 2):
        if not is_module(instance):
            _forget(interp, instance, _set_by_methods(instance))


def _forget(interp: Interpreter, instance: Instance, names: Iterable[str]) -> None:
    """Constants under these names are not known any more."""
    held = instance.attributes
    for name in names:
        if name in held and constant(held[name]):
            interp.replaces(held, name)
            held[name] = Unknown(name, weight=2)


def _doubt(
    interp: Interpreter, instance: Instance, names: Iterable[str], call: Call, weight: int = 0
) -> None:
    """Tensors under these names have their graphs, provided that the call left them alone; `weight`
    is how daring that is."""
    held = instance.attributes
    for name in names:
        value = held.get(name)
        if isinstance(value, Tensor) and value.node is not None and not value.parameter:
            interp.replaces(held, name)
            held[name] = _as_left(interp, value, call, weight)


def _as_left(interp: Interpreter, tensor: Tensor, call: Call, weight: int) -> Tensor:
    """The tensor, if a call has left it alone."""
    graph = tensor.node
    assert graph is not None
    if any(why.kind is Kind.LEFT_ALONE and why.weight >= weight for why in graph.doubt):
        return tensor
    because = frozenset({Assumption(Kind.LEFT_ALONE, _called(interp, call), weight=weight)})
    requires = graph.requires | because
    node = Node(
        graph.operator, graph.place, interp.engine.next_node(), requires, [graph], doubt=because
    )
    return replace(tensor, node=node, requires=(tensor.requires or frozenset()) | because)


def _called(interp: Interpreter, call: Call) -> str:
    node = call.node
    return interp.text(node.func if isinstance(node, ast.Call) else node)


def _objects(value: Value, depth: int, seen: set[int] | None = None) -> Iterator[Instance]:
    """The objects of the program's classes in a value, each once."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    parts: Iterable[Value] = ()
    if isinstance(value, Instance):
        if isinstance(value.cls, Class):
            yield value
        parts = value.attributes.values()
    elif isinstance(value, Items):
        parts = value.items
    elif isinstance(value, Mapping):
        parts = value.entries.values()
    for part in list(parts) if depth > 1 else ():
        if isinstance(part, (Instance, Items, Mapping)):
            yield from _objects(part, depth - 1, seen)


def _set_by(instance: Instance, name: str) -> frozenset[str]:
    """The attributes that the method of that name sets."""
    method = instance.cls.find(name) if isinstance(instance.cls, Class) else None
    return method.query(_set_in) if isinstance(method, Function) else frozenset()


def _set_by_methods(instance: Instance) -> frozenset[str]:
    """The attributes that methods of an object other than `__init__` set."""
    if not isinstance(instance.cls, Class):
        return frozenset()
    return frozenset(
        name
        for cls in instance.cls.mro()
        for method in cls.attributes.values()
        if isinstance(method, Function) and method.name != "__init__"
        for name in method.query(_set_in)
    )


@query
def _set_in(_: Source, function: ast.AST) -> frozenset[str]:
    """The names of the attributes that stand on the left in a function."""
    return frozenset(
        part.attr
        for part in ast.walk(function)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    )

"""Objects of the program's classes that derive from those of torch, as they are made."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.modules.opaque_modules import made_module
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import TENSORS, is_module_class
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.tables import StandingClasses
from autograd_lint.vm.values import Class, Function, Instance, Native, Unknown, Value

FUNCTION = "torch.autograd.Function"
OF_TENSORS = TENSORS | {"torch.Tensor"}
# Calls that return neither layers nor parameters where their result is assigned, and those that
# give an object none where it is not.
WITHOUT_PARTS = {
    ast.Assign: re.compile(
        r"(?:len|int|float|str|bool|list|tuple|dict|set|range|zip|min|max|sum|abs|isinstance)$"
        r"|(?:np|numpy|math)\.|torch\.(?!nn\b|hub\b)|self\.\w+\."
    ),
    ast.Expr: re.compile(r"super\(|self\.register_buffer$|print$|warnings\.|logg"),
}


def make(interp: Interpreter, cls: Class, call: Call) -> Value | None:
    """An object of a class whose objects are not made as Python makes them; None for any other.

    Those of a custom Function refuse to be called. What is made of tensors is its own to say. A
    module that would cost more steps than are left is not looked into.
    """
    if FUNCTION in cls.external_bases():
        _warn_of_object(interp, cls, call)
        return Native(cls.name, _called_instance(cls))
    if not OF_TENSORS.isdisjoint(cls.external_bases()):
        return Unknown(interp.text(call.node), weight=2)
    if interp.budget.impatient and is_module_class(cls) and _has_parts(interp, cls):
        interp.record.gave_up = True
        return made_module(interp, call, cls)
    return None


def made(interp: Interpreter, module: Instance) -> None:
    """A module was made: what is computed with it rests on its class where that is any entry."""
    asked = interp.state(StandingClasses).asked_by.get(module.cls)
    if asked is None or not isinstance(module.cls, Class) or _is_named(module, module.cls):
        return
    because = frozenset({Assumption(Kind.IS_ENTRY, asked, module.cls.name, weight=0)})
    for _, tensor in parameters(module):
        if tensor.requires is not None:
            tensor.requires |= because


def _is_named(module: Instance, cls: Class) -> bool:
    """Whether an object is made by the name of its class, and not as any entry of a table."""
    made = module.made_at
    return isinstance(made, ast.Call) and code_of(made.func).rpartition(".")[2] == cls.name


def _has_parts(interp: Interpreter, cls: Class) -> bool:
    """Whether making a module may give it layers or parameters."""
    initializers = [own.attributes.get("__init__") for own in cls.mro()]
    functions = [value for value in initializers if isinstance(value, Function)]
    return any(_makes_parts(one.written.node) for one in functions)


@query
def _makes_parts(initializer: ast.AST) -> bool:
    """Whether an `__init__` sets attributes to what calls return, other than plain values.

    Its own methods may set them as well, and `add_module` and the like do.
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

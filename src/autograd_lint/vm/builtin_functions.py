"""Python's built-in functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.attribute_functions import ON_ATTRIBUTES
from autograd_lint.vm.calls import Call
from autograd_lint.vm.class_functions import ON_CLASSES, opaque_bases
from autograd_lint.vm.dictionaries import held
from autograd_lint.vm.events import DictionaryWritten
from autograd_lint.vm.identities import identity
from autograd_lint.vm.imports import external
from autograd_lint.vm.instances import has_method, is_module, named_parts
from autograd_lint.vm.integers import known_constant
from autograd_lint.vm.iterables import ITERABLES
from autograd_lint.vm.iteration import MOST, iterate
from autograd_lint.vm.lengths import length
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import plain_value
from autograd_lint.vm.number_functions import ON_NUMBERS
from autograd_lint.vm.scope_functions import ON_SCOPES
from autograd_lint.vm.truth import answer, as_truth, known_truth
from autograd_lint.vm.uncalled import shown_of
from autograd_lint.vm.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Slice,
    Unknown,
    Value,
    constant,
)

NAMES = frozenset(dir(builtins)) | {"__file__"}


def builtin(name: str) -> Value | None:
    """What a name means when the program does not bind it; None when nothing."""
    return external(f"builtins.{name}") if name in NAMES else None


def _dict(interp: Interpreter, call: Call) -> Value:
    named: dict[Value, Value] = dict(call.keywords.items())
    mapping = Mapping(named)
    for keyword in call.node.keywords if isinstance(call.node, ast.Call) else ():
        mapping.written[keyword.arg] = (interp.source, keyword.value)
    if mapping.written:
        interp.emit(DictionaryWritten(mapping))
    given = call.get(0, "mapping")
    given = held(given) or named_parts(given) or given
    if isinstance(given, Mapping):
        mapping.entries = {**given.entries, **named}
        mapping.rest = given.rest
    elif given is not None and "mapping" not in call.keywords:
        pairs, complete = _pairs(interp, given, call.node)
        mapping.entries = {**pairs, **named}
        mapping.rest = None if complete else Unknown("a value", weight=2)
    return mapping


def _pairs(interp: Interpreter, given: Value, node: ast.AST) -> tuple[dict[Value, Value], bool]:
    """The keys and values that an iterable certainly gives in pairs, and whether these are all."""
    iteration = iterate(interp, given, node)
    items = list(iteration.few(MOST if iteration.complete else iteration.known))
    found: dict[Value, Value] = {}
    for item in items:
        if isinstance(item, Items) and item.closed and len(item.items) == 2:
            key, value = item.items
            if isinstance(key, (str, int, Unknown)):
                found[key] = value
    return found, iteration.complete and len(found) == len(items)


def _quantified(wanted: bool) -> Callable[[Interpreter, Call], Value]:
    """`any` (looks for a true element) and `all` (looks for a false one)."""

    def run(interp: Interpreter, call: Call) -> Value:
        iteration = iterate(interp, call.get(0, "iterable"), call.node)
        if not iteration.complete:
            return Unknown(interp.text(call.node), hint="bool")
        asked = (answer(interp, item, call.node) for item in iteration.few(MOST))
        answers = [known_truth(item) for item in asked]
        if wanted in answers:
            return wanted
        return Unknown(interp.text(call.node), hint="bool") if None in answers else not wanted

    return run


HINTS: dict[type, str] = {int: "int", float: "number", str: "string"}


def _bool(interp: Interpreter, call: Call) -> Value:
    """`bool(value)`, which asks an object of the program by its own method."""
    value = answer(interp, call.get(0, "x", False), call.node)
    truth = known_truth(value)
    if truth is not None:
        return truth
    if isinstance(value, (Items, Mapping)):
        return Unknown(interp.text(call.node), "bool")
    if isinstance(value, Unknown) and value.tensor is None:
        return as_truth(value)
    return interp.models.operators.number(interp, value, "bool", "bool", call)


def _converted(kind: type) -> Callable[[Interpreter, Call], Value]:
    def convert(interp: Interpreter, call: Call) -> Value:
        value = call.args[0] if call.args else kind()
        value = value if kind is str else plain_value(value)
        more = [*call.args[1:], *call.keywords.values()]  # the base of a number, an encoding
        if not all(map(constant, more)):
            return Unknown(interp.text(call.node), HINTS[kind])
        if known_constant(value):
            try:
                converted: int | float | str = kind(value, *call.args[1:], **call.keywords)
            except (TypeError, ValueError, OverflowError, LookupError):
                return Unknown(interp.text(call.node), HINTS[kind])
            return converted
        return interp.models.operators.number(interp, value, kind.__name__, HINTS[kind], call)

    return convert


def _slice(interp: Interpreter, call: Call) -> Value:
    bounds = [None, *call.args] if len(call.args) == 1 else [*call.args, None, None]
    return Slice(*[*bounds, None][:3])


def _callable(interp: Interpreter, call: Call) -> Value:
    value = materialized(call.get(0, "obj"))
    if isinstance(value, Instance) and not is_module(value):
        known = not opaque_bases(value.cls) if isinstance(value.cls, Class) else False
        called = has_method(value, "__call__")
        return called or (Unknown(interp.text(call.node), "bool") if not known else False)
    if isinstance(value, Unknown):
        return value.derived("callable", interp.text(call.node), "bool")
    return not (constant(value) or isinstance(value, (Tensor, Items, Mapping)))


def _type(interp: Interpreter, call: Call) -> Value:
    value = call.get(0, "object")
    if len(call.args) > 1:
        return Unknown(interp.text(call.node), "type")  # a class that is made
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Unknown):
        return value.derived("type", interp.text(call.node), "type")
    if isinstance(value, Tensor):
        return External("torch.nn.Parameter" if value.parameter else "torch.Tensor")
    if isinstance(value, Items) and value.kind in ("list", "tuple", "set") and not value.fields:
        return External(f"builtins.{value.kind}")
    if value is not None and constant(value):
        kind = int if isinstance(value, int) and not isinstance(value, bool) else type(value)
        return External(f"builtins.{kind.__name__}")
    return Unknown(interp.text(call.node), "type")


def _print(interp: Interpreter, call: Call) -> Value:
    for value in call.args:
        shown_of(interp, value)
    return None


def _text(interp: Interpreter, call: Call) -> Value:
    return Unknown(interp.text(call.node), hint="string")


def _as_kind(kind: str) -> Callable[[Interpreter, Call], Value]:
    """`property(function)` and the like, called without being decorators."""

    def make(interp: Interpreter, call: Call) -> Value:
        function = call.args[0] if call.args else None
        if not isinstance(function, Function):
            return Unknown(interp.text(call.node))
        setter = call.get(1, "fset") if kind == "property" else None
        made = function.as_kind(kind)
        return replace(made, setter=setter) if isinstance(setter, Function) else made

    return make


BUILTINS: dict[str, Callable[[Interpreter, Call], Value]] = {
    **ITERABLES,
    **ON_NUMBERS,
    **ON_SCOPES,
    **ON_CLASSES,
    **ON_ATTRIBUTES,
    "len": length,
    "id": identity,
    "dict": _dict,
    "any": _quantified(True),
    "all": _quantified(False),
    "int": _converted(int),
    "float": _converted(float),
    "bool": _bool,
    "str": _converted(str),
    "property": _as_kind("property"),
    "staticmethod": _as_kind("staticmethod"),
    "classmethod": _as_kind("classmethod"),
    "slice": _slice,
    "callable": _callable,
    "type": _type,
    "print": _print,
    "repr": _text,
    "input": _text,
}

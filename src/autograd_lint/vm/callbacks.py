"""Functions of the program that unseen code was given: it may call them whenever it runs.

What they set is not known from then on, and more may be in what they fill.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import MISSING
from autograd_lint.vm.values import (
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Unknown,
    Value,
    constant,
)

_FILLING = {"append", "appendleft", "extend", "add", "insert", "update", "setdefault"}

Callback = Function | Method


@dataclass(frozen=True, slots=True)
class Target:
    """What a function writes: a name of an outer scope, and attributes from there on.

    It is `filled` where something is put into it, and bound anew otherwise.
    """

    path: tuple[str, ...]
    filled: bool = False


@dataclass
class Callbacks:
    """The functions and methods that unseen code was given in a run."""

    given: list[Callback] = field(default_factory=list)

    def take(self, value: Value) -> None:
        """Remember a function that is given away."""
        if isinstance(value, (Function, Method)) and value not in self.given:
            self.given.append(value)

    def may_have_run(self, interp: Interpreter) -> None:
        """What they write is not known any more."""
        for callback in self.given:
            function = callback.function if isinstance(callback, Method) else callback
            for target in function.query(_targets):
                _write(interp, callback, function, target)


def _write(interp: Interpreter, callback: Callback, function: Function, target: Target) -> None:
    """Forget what one target of a callback is bound to, or that nothing else is in it."""
    *way, last = target.path
    if target.filled:
        _fill(interp, _resolved(callback, function, target.path))
    elif not way:
        scope = function.scope.binder(last)
        if scope is not None:
            _forget(interp, scope.names, last)
    else:
        owner = _resolved(callback, function, tuple(way))
        if isinstance(owner, Instance) and last in owner.attributes:
            _forget(interp, owner.attributes, last)


def _resolved(callback: Callback, function: Function, path: tuple[str, ...]) -> Value:
    """What a path means in a callback; None where that is not known."""
    first, *others = path
    arguments = [*function.node.args.posonlyargs, *function.node.args.args]
    own = arguments[0].arg if arguments else ""
    if first == own:
        value: Value = callback.receiver if isinstance(callback, Method) else None
    else:
        found = function.scope.lookup(first)
        value = None if found is MISSING else found
    for name in others:
        value = value.attributes.get(name) if isinstance(value, Instance) else None
    return value


def _forget(interp: Interpreter, names: MutableMapping[str, Value], name: str) -> None:
    """A constant or a tensor is not known any more, unless it is a parameter."""
    value = names[name]
    if constant(value) or (isinstance(value, Tensor) and not value.parameter):
        interp.replaces(names, name)
        names[name] = Unknown(name, weight=2)


def _fill(interp: Interpreter, value: Value) -> None:
    """More may be in a container than is known."""
    if isinstance(value, (Items, Mapping)) and value.rest is None:
        interp.changes(value)
        value.rest = Unknown("an element", weight=2)


@query
def _targets(_: Source, function: ast.AST) -> frozenset[Target]:
    """What a function writes outside of itself."""
    return frozenset(_found(function))


def _found(function: ast.AST) -> Iterator[Target]:
    for part in ast.walk(function):
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            yield from (Target((name,)) for name in part.names)
        elif isinstance(part, (ast.Attribute, ast.Subscript)):
            yield from _written(part)


def _written(part: ast.Attribute | ast.Subscript) -> Iterator[Target]:
    """What is bound anew or filled where an attribute or an element stands."""
    stored = isinstance(part.ctx, ast.Store)
    if isinstance(part, ast.Attribute) and stored:
        yield from (Target(path) for path in _path(part))
    elif stored or (isinstance(part, ast.Attribute) and part.attr in _FILLING):
        yield from (Target(path, filled=True) for path in _path(part.value))


def _path(node: ast.expr) -> Iterator[tuple[str, ...]]:
    """The names of `a.b.c`; nothing where something else stands there."""
    if isinstance(node, ast.Name):
        yield (node.id,)
    elif isinstance(node, ast.Attribute):
        yield from ((*path, node.attr) for path in _path(node.value))

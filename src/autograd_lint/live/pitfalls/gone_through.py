"""Generators of parameters that loops of the program itself go through in each iteration, though
nothing is left of them after the first time.

class Average:
    def __init__(self, model):
        self.parameters = model.parameters()
    def update(self):
        for average, p in zip(self.shadow, self.parameters):    # none, from the second call on
            average.lerp_(p, 0.1)

What has run so far the running functions tell, and what they do in each iteration their text.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from linecache import getline
from types import CodeType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any, NamedTuple

from torch.optim import Optimizer

from autograd_lint.engine.events import noted_at
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.bindings import binding_in
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.reading import attribute, attributes
from autograd_lint.live.source import place_in, tree_of
from autograd_lint.places import Place

_DEEPEST, _MOST = 3, 256  # objects, one in the other, and how many are looked at
_LOOPS = (ast.For, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASKING = frozenset({"parameters", "named_parameters"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Place(NamedTuple):
    """A function of the program, its text, and what its names stand for."""

    code: CodeType
    function: _Function
    names: dict[str, Any]


class GoneThrough(Family):
    """Looks, once for each optimizer, at what the running functions have done in each iteration."""

    __slots__ = ("_told",)

    def __init__(self, told: Told) -> None:
        self._told = told

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped some times."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._told.sites.is_users(frame.f_code) and _may_go_through(frame):
                self._look(frame)
            frame = frame.f_back

    def _look(self, frame: FrameType) -> None:
        """What does a running function do in each iteration, or in each call?"""
        code, names = frame.f_code, {**frame.f_globals, **frame.f_locals}
        repeated = _repeated(code.co_filename, frame.f_lineno)
        for name in (one for statement in repeated for one in _bound(statement)):
            names.pop(name, None)  # anew each time
        for statement in repeated:
            if isinstance(statement, ast.For):
                self._look_at_loop(statement, code, names)
                continue
            calls = (one for one in ast.walk(statement) if isinstance(one, ast.Call))
            for call in calls if isinstance(statement, (ast.Assign, ast.Expr)) else ():
                called = _called(call, names)
                if called is not None:
                    self._look_at_called(called, call, place_in(code.co_filename, call))

    def _look_at_called(self, called: _Place, call: ast.Call, at: Place) -> None:
        for one in _plain(called.function.body):
            if isinstance(one, ast.For):
                self._look_at_loop(one, called.code, called.names)
        handed = _handed(called.function, call)
        loops = (one for one in ast.walk(called.function) if isinstance(one, ast.For))
        iterated = [one.iter for one in loops if isinstance(one.iter, ast.Name)]
        for name in handed:
            for again in [one for one in iterated if one.id == name][1:]:
                self._tell(again, called.code.co_filename, at)

    def _look_at_loop(self, loop: ast.For, code: CodeType, names: dict[str, Any]) -> None:
        for one in ast.walk(loop.iter):
            if isinstance(one, (ast.Name, ast.Attribute)) and _is_over(_value(one, names)):
                made = _made(one, code, names)
                if made is not None and "parameters" in getline(made.filename, made.row):
                    self._tell(loop.iter, code.co_filename, made)

    def _tell(self, iterated: ast.expr, filename: str, made: Place | None) -> None:
        self._told.tell(
            Pitfall.USED_UP,
            place_in(filename, iterated),
            operator="parameters",
            noted=noted_at(made, "made here"),
        )


def _may_go_through(frame: FrameType) -> bool:
    """Whether a function can reach a generator of which nothing is left, or hands one to another
    function of its file: only then is its text read."""
    names, variables = frame.f_code.co_names, [*frame.f_locals.values()]
    functions = (frame.f_globals.get(name) for name in names)
    if not _ASKING.isdisjoint(names) and any(type(one) is FunctionType for one in functions):
        return True
    for _ in range(_DEEPEST):
        if any(map(_is_over, variables)):
            return True
        held = [attributes(one).values() for one in variables if not _is_librarys(one)]
        variables = [one for values in held for one in values][:_MOST]
    return False


def _is_librarys(value: Any) -> bool:
    """Whether a value is a module, or an object of a class of Python's or torch's."""
    kind = type(value).__module__.partition(".")[0]
    return kind in ("builtins", "torch") or type(value) is ModuleType


def _repeated(filename: str, row: int) -> list[ast.stmt]:
    """The statements that have run whenever the one in a row has: those of the innermost loop, or
    else of the function around it."""
    tree = tree_of(filename)
    around = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (*_LOOPS, *_FUNCTIONS))
        and node.lineno <= row <= (node.end_lineno or node.lineno)
    ]
    innermost = max(around, key=lambda node: node.lineno, default=None)
    return [*_plain(innermost.body)] if innermost is not None else []


def _bound(statement: ast.stmt) -> set[str]:
    """The names that are bound in a statement."""
    names = (one for one in ast.walk(statement) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _plain(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    for one in block:
        if isinstance(one, ast.With):
            yield from _plain(one.body)
        else:
            yield one


def _is_over(value: Any) -> bool:
    return type(value) is GeneratorType and value.gi_frame is None


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """What a name or an attribute stands for; None for what would run code."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return attributes(_value(node.value, names)).get(node.attr)
    return None


def _made(node: ast.expr, code: CodeType, names: dict[str, Any]) -> Place | None:
    """Where a name was bound in its function, or an attribute by the constructor of its object
    alone."""
    if isinstance(node, ast.Name):
        return binding_in(code, node.id)
    owner = _value(node.value, names) if isinstance(node, ast.Attribute) else None
    maker = getattr(inspect.getattr_static(type(owner), "__init__", None), "__code__", None)
    if not isinstance(node, ast.Attribute) or not isinstance(maker, CodeType):
        return None
    tree = tree_of(maker.co_filename)
    stored = [
        one
        for one in (ast.walk(tree) if tree is not None else ())
        if isinstance(one, ast.Attribute) and one.attr == node.attr
        if isinstance(one.ctx, ast.Store)
    ]
    return binding_in(maker, f"{maker.co_varnames[0]}.{node.attr}") if len(stored) == 1 else None


def _called(call: ast.Call, names: dict[str, Any]) -> _Place | None:
    """The function of the program that is called, and its `self`."""
    owner = _value(call.func.value, names) if isinstance(call.func, ast.Attribute) else None
    found = _value(call.func, names)
    if found is None and isinstance(call.func, ast.Attribute) and owner is not None:
        found = attribute(owner, call.func.attr, None)
    function = found.__func__ if isinstance(found, MethodType) else found
    if not isinstance(function, FunctionType):
        return None
    tree, code = tree_of(function.__code__.co_filename), function.__code__
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _FUNCTIONS) and node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == code.co_firstlineno:
                own = {code.co_varnames[0]: owner} if isinstance(found, MethodType) else {}
                return _Place(code, node, own)
    return None


def _handed(function: _Function, call: ast.Call) -> list[str]:
    """The arguments that are a new generator of parameters, and stay one."""
    parameters = [one.arg for one in function.args.args]
    given = [*zip(parameters, call.args, strict=False)]
    given += [(one.arg, one.value) for one in call.keywords if one.arg is not None]
    bound = _bound(function)
    return [name for name, one in given if _asks(one) and name not in bound]


def _asks(given: ast.expr) -> bool:
    function = given.func if isinstance(given, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in _ASKING

"""Methods that a class leaves to the classes derived from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Unknown, Value

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call


def has_no_body(body: list[ast.stmt]) -> bool:
    """Whether a method does nothing: what it is for is left to the classes derived from its own."""
    return len(body) <= 2 and all(
        isinstance(part, ast.Pass)
        or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        for part in body
    )


@query
def is_left_unwritten(_: Source, node: ast.AST) -> bool:
    """Whether a function ends in a `pass` behind other statements, as a template does whose rest is
    for others to write."""
    body = getattr(node, "body", None)
    return isinstance(body, list) and isinstance(body[-1], ast.Pass) and not has_no_body(body)


def is_abstract(cls: Class) -> bool:
    """Whether only classes derived from this one are made: it has abstract methods left."""
    return any(one.query(_is_abstract) for one in _methods(cls))


def leaves_methods_open(cls: Class) -> bool:
    """Whether it is there to be derived from: a method of it is abstract, or not implemented."""
    return any(one.query(_is_left_open) for one in _methods(cls))


def _methods(cls: Class) -> Iterator[Function]:
    """The functions that an object of the class has as methods."""
    named = {name for own in cls.mro() for name in own.attributes}
    return (one for one in map(cls.find, named) if isinstance(one, Function))


@query
def _is_abstract(_: Source, node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(code_of(one).rpartition(".")[2] == "abstractmethod" for one in decorators)


@query
def _is_left_open(source: Source, node: ast.AST) -> bool:
    written = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return _is_abstract(source, node) or (written and _is_not_implemented(node))


def is_abstract_here(interp: Interpreter, node: ast.AST) -> bool:
    """Whether a method only says that it is not implemented, and a harness stands for who calls.

    The program itself is taken at its word, and so is one that is ready to catch what is raised.
    """
    if interp.whole or interp.expecting:
        return False
    return _is_not_implemented(node)


@query
def _is_not_implemented(method: ast.AST) -> bool:
    *before, last = method.body  # type: ignore[attr-defined]
    if not isinstance(last, ast.Raise) or not has_no_body(before):
        return False
    raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def call_abstract_method(
    interp: Interpreter, function: Function, receiver: Value, call: Call
) -> Value:
    """What such a method returns.

    It may bind anew what its object only holds until somebody has computed it.
    """
    if isinstance(receiver, Instance):
        _bind_anew(interp, receiver)
    return interp.models.calls.unwritten(interp, function, receiver, call)


def _bind_anew(interp: Interpreter, instance: Instance) -> None:
    """Tensors without a graph that nobody has registered are not known any more."""
    names = instance.attributes
    for name, value in list(names.items()):
        if isinstance(value, Tensor) and value.requires_grad is None and not value.parameter:
            interp.replaces(names, name)
            names[name] = Unknown(name)

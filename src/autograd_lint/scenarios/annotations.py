"""What the annotations of arguments name, looked up once something asks for it."""

from __future__ import annotations

import ast
from functools import partial

from autograd_lint.project.code import last_name
from autograd_lint.project.query import query
from autograd_lint.vm.attributes import get_attribute
from autograd_lint.vm.imports import bound
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import (
    WRITTEN_AS,
    External,
    Function,
    Lazy,
    Unknown,
    Value,
)

_WRAPPING = {"Optional", "Annotated", "Final", "Required", "NotRequired"}
_UNIONS = {"Union"}


def write_as(given: Value, function: Function, annotation: ast.expr | None) -> None:
    """Let an unknown argument know the class that it is annotated with."""
    named = class_named(annotation) if annotation is not None else None
    if named is not None and isinstance(given, Unknown) and not given.hint:
        given.attributes[WRITTEN_AS] = Lazy(partial(_named, function.scope, named))


@query
def class_named(annotation: ast.AST) -> ast.Name | ast.Attribute | None:
    """The one class that an annotation names, aside from None; in quotes or not."""
    match annotation:
        case ast.Name() | ast.Attribute():
            return annotation
        case ast.Constant(value=str(text)):
            return _in_quotes(text)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _only([left, right])
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=parts)):
            name = last_name(outer)
            return _only(parts) if name in _UNIONS else _first(name, parts)
        case ast.Subscript(value=outer, slice=inner):
            return class_named(inner) if last_name(outer) in _WRAPPING | _UNIONS else None
    return None


def _first(name: str, parts: list[ast.expr]) -> ast.Name | ast.Attribute | None:
    return class_named(parts[0]) if name in _WRAPPING and parts else None


def _only(parts: list[ast.expr]) -> ast.Name | ast.Attribute | None:
    """The class that one side of a union names, where the other one is None."""
    classes = [part for part in parts if not _is_none(part)]
    return class_named(classes[0]) if len(classes) == 1 else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _in_quotes(text: str) -> ast.Name | ast.Attribute | None:
    try:
        return class_named(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def _named(scope: Scope, node: ast.expr, interp: Interpreter) -> Value:
    """What a name, or an attribute of one, stands for where a function is defined."""
    if isinstance(node, ast.Attribute):
        owner = _named(scope, node.value, interp)
        known = owner is not None and not isinstance(owner, External)
        return get_attribute(interp, owner, node.attr, node) if known else None
    return bound(interp, scope, node.id) if isinstance(node, ast.Name) else None

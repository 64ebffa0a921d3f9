"""What the annotations of arguments name, looked up once something asks for it."""

from __future__ import annotations

import ast
from functools import partial

from autograd_lint.vm.attributes import get_attribute
from autograd_lint.vm.imports import settled
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


def write_as(given: Value, function: Function, annotation: ast.expr | None) -> None:
    """Let an unknown argument know the class that it is annotated with."""
    if not isinstance(annotation, (ast.Name, ast.Attribute)):
        return
    if isinstance(given, Unknown) and not given.hint:
        given.attributes[WRITTEN_AS] = Lazy(partial(_named, function.scope, annotation))


def _named(scope: Scope, node: ast.expr, interp: Interpreter) -> Value:
    """What a name, or an attribute of one, stands for where a function is defined."""
    if isinstance(node, ast.Attribute):
        owner = _named(scope, node.value, interp)
        known = owner is not None and not isinstance(owner, External)
        return get_attribute(interp, owner, node.attr, node) if known else None
    binder = scope.binder(node.id) if isinstance(node, ast.Name) else None
    return settled(interp, binder, node.id) if binder and isinstance(node, ast.Name) else None

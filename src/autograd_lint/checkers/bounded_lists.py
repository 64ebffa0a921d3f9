"""Lists out of which old elements are taken again: what they hold does not grow."""

from __future__ import annotations

import ast

from autograd_lint.checkers.surroundings import enclosing
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class

TAKING_OUT = {"pop", "popitem", "popleft", "remove"}


def gives_way(interp: Interpreter, node: ast.AST) -> bool:
    """Whether the code that adds to a container at a node takes elements out of it, too.

    Of a container on an object any method of its class may do so.
    """
    owner = _container(node)
    around = _around(interp, node, whole=owner.startswith("self."))
    return bool(owner) and around is not None and owner in taken_out(around)


def _container(node: ast.AST) -> str:
    """What a call or store adds to, as the program writes it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return code_of(node.func.value)
    return code_of(node.value) if isinstance(node, ast.Subscript) else ""


def _around(interp: Interpreter, node: ast.AST, *, whole: bool) -> ast.AST | None:
    """The function that a node stands in, the `whole` class of a method, or the outermost block."""
    function = interp.frame.function
    if function is None:
        return next(iter(enclosing(interp.source, getattr(node, "lineno", 0))), None)
    return function.owner.node if whole and isinstance(function.owner, Class) else function.node


@query
def taken_out(around: ast.AST) -> frozenset[str]:
    """The containers that elements are taken out of in a piece of code."""
    found: set[str] = set()
    for node in walk(around):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= {code_of(node.func.value)} if node.func.attr in TAKING_OUT else set()
        elif isinstance(node, ast.Delete):
            items = [target for target in node.targets if isinstance(target, ast.Subscript)]
            found |= {code_of(item.value) for item in items}
    return frozenset(found)

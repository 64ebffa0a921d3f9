"""The value of `self.weight.detach_()` is used: the parameter itself does not learn any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.code import called_name
from autograd_lint.project.nodes import statements, walk
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """A statement of its own is meant to freeze it: only a value that is used is judged."""
    for cls in source.each(ast.ClassDef):
        parameters = set(_parameters(cls))
        alone = {id(one.value) for one in statements(cls) if isinstance(one, ast.Expr)}
        for node in walk(cls) if parameters else ():
            if id(node) not in alone and _detached(node) in parameters:
                yield _fault(source, node)


def _fault(source: Source, node: ast.AST) -> Fault:
    name = f"self.{_detached(node)}"
    return Fault(
        Pitfall.PARAMETER_DETACHED,
        source.place(node),
        tensor=name,
        operator="detach_",
        assumptions=frozenset({Assumption(Kind.MEANT_TO_LEARN, name, weight=0)}),
    )


def _detached(node: ast.AST) -> str:
    """The attribute of `self` that an expression detaches in place."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    return _own(node.func.value) if node.func.attr == "detach_" else ""


def _own(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "self" else ""
    return ""


def _parameters(cls: ast.ClassDef) -> Iterator[str]:
    """The attributes to which a class assigns parameters."""
    for node in statements(cls):
        if isinstance(node, ast.Assign) and called_name(node.value) == "Parameter":
            yield from filter(None, map(_own, node.targets))

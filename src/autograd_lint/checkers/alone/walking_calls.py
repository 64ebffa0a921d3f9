"""Calls that may run a backward of their own, by what they are called and how it is defined."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.project.code import spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk

_WALKING = re.compile(
    r"backward|closure|optimi[sz]e|update|train|learn|grad(ient)?s?\b|step|\b(?:run|fit)\b",
    re.IGNORECASE,
)


def may_walk(statement: ast.AST, project: Project) -> bool:
    """Whether a statement may run a backward: it calls one, or what is named like it, and whose
    definitions in the project, if there are any, call such as well."""
    return any(
        name.endswith("backward") or _may_walk(name, project) for name in _called_so(statement)
    )


def _may_walk(name: str, project: Project) -> bool:
    bodies = definitions(name, project)
    return not bodies or any(map(_calls_so, bodies))


def _calls_so(node: ast.AST) -> bool:
    return any(True for _ in _called_so(node))


def _called_so(node: ast.AST) -> Iterator[str]:
    """The last names of what is called in a node, of which the name tells that it may train."""
    calls = (spelt(one.func) for one in walk(node) if isinstance(one, ast.Call))
    names = (name.rpartition(".")[2] for name in calls)
    return (name for name in names if _WALKING.search(name))


def definitions(name: str, project: Project) -> list[ast.AST]:
    """The functions and classes of that name in the project."""
    sources = project.speaking(name)
    functions = [node for one in sources for node in one.each(ast.FunctionDef) if node.name == name]
    classes = [node for one in sources for node in one.each(ast.ClassDef) if node.name == name]
    return [*functions, *classes]

"""Calls that may run a backward of their own, by what they are called and how it is defined."""

from __future__ import annotations

import ast
import re

from autograd_lint.project.code import called_name, spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk

_WALKING = re.compile(
    r"backward|closure|optimi[sz]e|update|train(?!ed)|learn|(?<!no_)(?<!zero_)grad(ient)?s?\b|step|\b(?:run|fit)\b",
    re.IGNORECASE,
)
GRADIENTS = re.compile(r"\bgrad\b")  # that code speaks of gradients
_COUNTING = re.compile(
    r"(?:bar|meter|metric\w*|average|avg|loss\w*|logs?|tracker|stats|scaler)$", re.IGNORECASE
)
# How modules are called, at the end of what is spelt.
MODULE = re.compile(
    r"(?:model|net|module|network|encoder|decoder|classifier|generator|discriminator)\w*$",
    re.IGNORECASE,
)


def may_walk(statement: ast.AST, project: Project) -> bool:
    """Whether a statement may run a backward by something that it calls."""
    return any(isinstance(one, ast.Call) and walks_by(one, project) for one in walk(statement))


def walks_by(call: ast.Call, project: Project) -> bool:
    """Whether a call may run a backward: it is one, or named like it, and its definitions in the
    project, if there are any, call such as well; what counts and shows progress does not."""
    owner = spelt(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    name = _name(call)
    counts = name == "update" and _COUNTING.search(owner)
    sets_mode = name == "train" and not call.keywords and MODULE.search(owner)
    if counts or sets_mode or not _WALKING.search(name):
        return False
    bodies = definitions(name, project)
    return name.endswith("backward") or not bodies or any(map(_calls_so, bodies))


def _calls_so(node: ast.AST) -> bool:
    calls = (one for one in walk(node) if isinstance(one, ast.Call))
    return any(map(_WALKING.search, map(_name, calls)))


def _name(call: ast.Call) -> str:
    """What a call calls, without the objects that have it."""
    return called_name(call) or spelt(call.func)


def definitions(name: str, project: Project) -> list[ast.AST]:
    """The functions and classes of that name in the project."""
    sources = project.speaking(name) if name else []
    functions = [node for one in sources for node in one.each(ast.FunctionDef) if node.name == name]
    classes = [node for one in sources for node in one.each(ast.ClassDef) if node.name == name]
    return [*functions, *classes]

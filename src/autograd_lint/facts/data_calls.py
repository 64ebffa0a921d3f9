"""Calls that are given nothing with a graph."""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from autograd_lint.facts.definitions import definition_of
from autograd_lint.project.code import code_of, given_to
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import binds

_DETACHED = re.compile(r"\.(?:detach|numpy|item|tolist)\(.*\)$|\.data$")


def is_given_data(call: ast.Call, site: Mention, project: Project) -> bool:
    """Whether all that a call is given was cut off from its graph, or has none to begin with.

    That is so of constants, and of objects that the function around it makes of nothing.
    """
    plain = [value for value in given_to(call) if not isinstance(value, ast.Constant)]
    cut = [value for value in plain if _DETACHED.search(code_of(value))]
    others = (value for value in plain if value not in cut)
    return bool(cut) and all(_is_made(value, site, project) for value in others)


def _is_made(value: ast.expr, site: Mention, project: Project) -> bool:
    """Whether a name stands for an object of the project's own, made here without arguments."""
    function = next((n for n in reversed(site.around) if isinstance(n, ast.FunctionDef)), None)
    if not isinstance(value, ast.Name) or function is None:
        return False
    stored = [node for node in ast.walk(function) if binds(node, value.id)]
    made = [node.value for node in ast.walk(function) if _assigns(node, value.id)]
    return len(stored) == len(made) == 1 and _makes(made[0], site, project)


def _assigns(node: ast.AST, name: str) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and any(binds(target, name) for target in node.targets)


def _makes(value: ast.expr, site: Mention, project: Project) -> bool:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return False
    defined = definition_of(value.func.id, site.source, project)
    empty = not value.args and not value.keywords
    return empty and defined is not None and isinstance(defined.node, ast.ClassDef)

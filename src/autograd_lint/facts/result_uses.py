"""Where what a call gives gets to in a function that runs backward: some of it is only looked at.

Names are followed through assignments, whatever their order; what goes to other functions that may
train with it is taken to be trained.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

BACKWARD = re.compile(r"\.backward\(|\bgrad\(|\.fit\(|\bTrainer\(")
# What gives numbers, or nothing, but no graph.
_CUTTING = {"item", "detach", "tolist", "numpy", "print", "float", "int", "len", "str", "format"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LEAVING = (ast.Return, ast.Yield, ast.YieldFrom)


class Fate(Enum):
    """Where a value gets to; one that is trained may be given back as well."""

    TRAINED = auto()
    GIVEN_BACK = auto()
    LOOKED_AT = auto()


def fate(site: Mention, function: ast.AST) -> Fate:
    """Where the result gets to of a call that stands in a function.

    What is mentioned but not called there may get anywhere, and a call whose result is dropped is
    made for what it does.
    """
    call = site.around[-1] if site.around else None
    inside = [*site.around, site.node]
    inner = inside[inside.index(function) + 1 :] if function in inside else []
    if not isinstance(call, ast.Call) or call.func is not site.node:
        return Fate.TRAINED
    dropped = isinstance(site.around[-2], ast.Expr)
    if dropped or not inner or any(isinstance(node, _FUNCTIONS) for node in inner):
        return Fate.TRAINED
    parts = list(ast.walk(function))
    reached = _reached(parts, call, _imported(site.source))
    if any(_trains_with(node, call, reached) for node in parts):
        return Fate.TRAINED
    left = any(_lets_out(node, call, reached) for node in parts)
    return Fate.GIVEN_BACK if left else Fate.LOOKED_AT


def is_listed(name: str, function: ast.AST) -> bool:
    """Whether a function makes a list of numbers of what it computes with one of its names."""
    parts = list(ast.walk(function))
    reached = _reached(parts, function, frozenset(), {name})
    calls = (part.func for part in parts if isinstance(part, ast.Call))
    return any(
        isinstance(one, ast.Attribute)
        and one.attr == "tolist"
        and _carries(one.value, function, reached)
        for one in calls
    )


def _reached(
    parts: list[ast.AST], call: ast.AST, imported: frozenset[str], known: Iterable[str] = ()
) -> set[str]:
    """The names that have to do with what a call gives; packages keep nothing of it."""
    reached = set(known)
    while True:
        given = {name for part in parts for name in _names_given(part, call, reached)}
        if given <= reached | imported:
            return reached
        reached |= given - imported


@query
def _imported(source: Source) -> frozenset[str]:
    """The names that the imports of a file bind."""
    imports = [
        one for one in ast.walk(source.tree) if isinstance(one, (ast.Import, ast.ImportFrom))
    ]
    return frozenset(
        alias.asname or alias.name.partition(".")[0] for one in imports for alias in one.names
    )


def _trains_with(node: ast.AST, call: ast.AST, reached: set[str]) -> bool:
    """Whether a node differentiates the value, or hands it to a function that may do so."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        plain = isinstance(node.value.func, ast.Name)
        if plain and node.value is not call and _carries(node.value, call, reached):
            return True
    if not isinstance(node, ast.Call) or not BACKWARD.search(f"{code_of(node.func)}("):
        return False
    return any(_carries(part, call, reached) for part in ast.iter_child_nodes(node))


def _lets_out(node: ast.AST, call: ast.AST, reached: set[str]) -> bool:
    value = node.value if isinstance(node, _LEAVING) else None
    return value is not None and _carries(value, call, reached)


def _names_given(node: ast.AST, call: ast.AST, reached: set[str]) -> set[str]:
    """The names that have to do with the value after a node."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = [*node.args, *(one.value for one in node.keywords)]
        owner = {_root(node.func.value)}
        return owner if any(_carries(one, call, reached) for one in given) else set()
    found = {
        _named(part)
        for target, value in _bindings(node)
        if _carries(value, call, reached)
        for part in ast.walk(target)
        if isinstance(getattr(part, "ctx", None), ast.Store)
    }
    return found - {""}


def _bindings(node: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    """What a statement binds, and to which values."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
        if node.value is not None:
            yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _carries(value: ast.AST, call: ast.AST, reached: set[str]) -> bool:
    """Whether an expression may have a graph because of the value: comparisons have none."""
    if value is call:
        return True
    if isinstance(value, ast.Compare):
        return False
    if isinstance(value, ast.Call) and code_of(value.func).rpartition(".")[2] in _CUTTING:
        return False
    if isinstance(value, (ast.Name, ast.Attribute)) and _named(value) in reached:
        return True
    return any(_carries(part, call, reached) for part in ast.iter_child_nodes(value))


def _named(node: ast.AST) -> str:
    """What an assignment binds: a name, an attribute by its path, or what a subscript is of."""
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    return code_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""

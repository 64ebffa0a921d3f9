"""Methods that cut the states of a module from their graphs, and the states that they leave out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.diagnosis.fitting import Fit
from autograd_lint.diagnosis.suspects.code import Function, Line, spelt
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_CUTS = re.compile(r"detach|repackage|truncate")
_CUT = ("detach", "detach_")


def left_out(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a method whose name says that it detaches leaves a state out: its
    head where it does nothing, else each of its statements that detaches one."""
    node = line.node
    if isinstance(node, Function) and _CUTS.search(node.name) and _is_empty(node):
        return iter((Fit("kept", True, f"`{node.name}` detaches nothing", 12.0),))
    function = line.function
    if function is None or function is node or not _CUTS.search(function.name) or not _cut(node):
        return None
    kept = _states(line.source).get(function, frozenset()) - _all_cut(function)
    if not kept:
        return iter((Fit("kept", False, "it detaches a state", 0.1),))
    names = ", ".join(f"`{name}`" for name in sorted(kept)[:3])
    return iter((Fit("kept", True, f"`{function.name}` leaves out {names}", 16.0),))


def _is_empty(function: Function) -> bool:
    return all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in function.body
    )


def _cut(node: ast.AST) -> frozenset[str]:
    """The attributes that a statement detaches, by their last names."""
    if isinstance(node, (ast.For, ast.While, ast.If, ast.With)):
        return frozenset()
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    methods = (one for one in calls if isinstance(one, ast.Attribute) and one.attr in _CUT)
    return frozenset(one.value.attr for one in methods if isinstance(one.value, ast.Attribute))


def _all_cut(function: Function) -> frozenset[str]:
    """The attributes that a method detaches."""
    statements = (one for one in ast.walk(function) if isinstance(one, (ast.Assign, ast.Expr)))
    return frozenset(name for one in statements for name in _cut(one))


@query
def _states(source: Source) -> dict[ast.AST, frozenset[str]]:
    """The states of the class of each method: attributes that `forward` computes from themselves,
    or sets, and gives to what computes the next one."""
    found: dict[ast.AST, frozenset[str]] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, Function)]
            states = frozenset(name for one in methods for name in _carried(one))
            found.update(dict.fromkeys(methods, states))
    return found


def _carried(method: Function) -> Iterator[str]:
    """The attributes of `self` that a `forward` sets by a call that it gives them to."""
    if method.name != "forward":
        return
    for node in ast.walk(method):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.Call, ast.BinOp)):
            continue
        targets = [part for target in node.targets for part in ast.walk(target)]
        bound = {name for part in targets if (name := _own(part)) is not None}
        read = {name for part in ast.walk(node.value) if (name := _own(part)) is not None}
        yield from bound & read


def _own(node: ast.AST) -> str | None:
    """The name of an attribute of `self`."""
    name = spelt(node) if isinstance(node, ast.Attribute) else None
    parts = name.split(".") if name is not None else []
    return parts[1] if len(parts) == 2 and parts[0] == "self" else None

"""Whether a name can be given a new tensor at a place, so that what comes later sees it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.operators.table import load
from autograd_lint.places import Place
from autograd_lint.project.source import Source

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def can_rebind(source: Source, place: Place, target: str) -> bool:
    """Whether `target = ...` at `place` would do for what reads `target` later in this file.

    A name has to be one of the function around the place, and has to be read after it; an attribute
    must not hold a parameter, which takes no other tensor.
    """
    if target.isidentifier():
        return _rebinds_name(source, place, target)
    owner, _, attribute = target.rpartition(".")
    is_plain = bool(owner) and all(part.isidentifier() for part in target.split("."))
    return is_plain and _holds_tensor(source.tree, attribute)


def _rebinds_name(source: Source, place: Place, name: str) -> bool:
    around = list(_around(source.tree, place))
    scope = next((node for node in reversed(around) if isinstance(node, _FUNCTIONS)), source.tree)
    if isinstance(scope, ast.Lambda) or not (scope is source.tree or _binds(scope, name)):
        return False
    inner = around[around.index(scope) + 1 :] if scope in around else around
    loops = [node for node in inner if isinstance(node, _LOOPS)]
    if not (_is_parameter(scope, name) or any(_iterates(loop, name) for loop in loops)):
        return True
    # What is handed in is written for others to see, if nothing reads it here.
    reads = {
        node.lineno
        for node in ast.walk(scope)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    }
    again = [loop for loop in loops if not _iterates(loop, name)]
    rows = {row for loop in again for row in range(loop.lineno, (loop.end_lineno or 0) + 1)}
    rows -= set(range(place.row, place.end_row + 1))
    return any(row > place.end_row or row in rows for row in reads)


def _is_parameter(scope: ast.AST, name: str) -> bool:
    arguments = getattr(scope, "args", None)
    return arguments is not None and any(
        isinstance(node, ast.arg) and node.arg == name for node in ast.walk(arguments)
    )


def _around(tree: ast.AST, place: Place) -> Iterator[ast.AST]:
    """The nodes whose rows hold the place, the outer before the inner."""
    for node in ast.iter_child_nodes(tree):
        row, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if row is not None and end is not None and row <= place.row and place.end_row <= end:
            yield node
            yield from _around(node, place)
        elif isinstance(node, (ast.match_case, ast.ExceptHandler)):
            yield from _around(node, place)


def _binds(function: ast.AST, name: str) -> bool:
    """Whether a name is a parameter or a variable of a function, and no one else's."""
    if any(
        isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names
        for node in ast.walk(function)
    ):
        return True
    if any(isinstance(node, ast.arg) and node.arg == name for node in ast.walk(function)):
        return True
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


def _iterates(loop: ast.AST, name: str) -> bool:
    """Whether a loop gives the name a new value in every round."""
    target = getattr(loop, "target", None)
    return target is not None and any(
        isinstance(node, ast.Name) and node.id == name for node in ast.walk(target)
    )


def _holds_tensor(tree: ast.Module, attribute: str) -> bool:
    """Whether the file sets this attribute, and never to a parameter."""
    values = list(_values(tree, attribute))
    return bool(values) and not any(_makes_parameter(value) for value in values)


def _values(tree: ast.Module, attribute: str) -> Iterator[ast.AST]:
    """What the file sets an attribute of this name to; the calls that register it as a buffer."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            goals = node.targets if isinstance(node, ast.Assign) else [node.target]
            inner = (part for goal in goals for part in ast.walk(goal))
            if any(isinstance(one, ast.Attribute) and one.attr == attribute for one in inner):
                yield node.value
        elif isinstance(node, ast.Call) and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and first.value == attribute:
                yield node


def may_be_none(source: Source, target: str) -> bool:
    """Whether this file sets a name or attribute to None somewhere."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and node.value.value is None
        and target in map(ast.unparse, node.targets)
        for node in ast.walk(source.tree)
    )


def reads_before(source: Source, place: Place, target: str) -> bool:
    """Whether the function around `place` reads a name or attribute above it."""
    around = [node for node in _around(source.tree, place) if isinstance(node, _FUNCTIONS)]
    return bool(around) and any(
        isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and node.lineno < place.row
        and ast.unparse(node) == target
        for node in ast.walk(around[-1])
    )


def _makes_parameter(value: ast.AST) -> bool:
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("Parameter", "register_parameter", "UninitializedParameter"):
                return True
    return False


def inplace_flags(source: Source, callee: str) -> list[Place]:
    """The calls with `inplace=True` in what this file assigns to `callee`, a name or attribute."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and callee in map(ast.unparse, node.targets):
            found += [source.place(call) for call in ast.walk(node.value) if _is_inplace(call)]
    return found


def inplace_position(layer: str) -> int | None:
    """By which position a layer of `torch.nn` of that name takes `inplace`; None if it has none."""
    table, name = load(), f"nn.{layer.rpartition('.')[2]}"
    options = table.operator(name).options if table.is_layer(name) else ()
    return options.index("inplace") if "inplace" in options else None


def _is_inplace(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    given = [keyword.value for keyword in node.keywords if keyword.arg == "inplace"]
    position = inplace_position(ast.unparse(node.func)) if not given else None
    if position is not None:
        given = node.args[position : position + 1]
    return any(isinstance(value, ast.Constant) and value.value is True for value in given)

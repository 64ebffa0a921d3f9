"""Where the parts of a function stand: its `def`, what it returns, calls and sets."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograd_lint.live.source import place_in, tree_of
from autograd_lint.places import Place

Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def definition(function: Any) -> Place | None:
    """The line that defines a function; None where it is not written in Python."""
    filename, node = written(function)
    return None if node is None else place_in(filename, node)


def result(function: Any) -> Place | None:
    """The last `return` of a function that has one, else the line that defines it."""
    filename, node = written(function)
    if node is None:
        return None
    if isinstance(node, ast.Lambda):
        return place_in(filename, node.body)
    returns = [one for one in _own(node) if isinstance(one, ast.Return) and one.value is not None]
    last = max(returns, key=lambda one: one.lineno, default=node)
    return place_in(filename, last)


def call_in(function: Any, method: str) -> Place | None:
    """The last call of `....method(...)` in a function."""
    filename, node = written(function)
    calls = [
        one
        for one in (_own(node) if node is not None else ())
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr == method
    ]
    last = max(calls, key=lambda one: one.lineno, default=None)
    return None if last is None else place_in(filename, last)


def assignment(function: Any, attribute: str) -> tuple[Place, ast.expr] | None:
    """The first statement of a function that sets an attribute of its first argument, and the value
    that it gives it; None where there is none."""
    filename, node = written(function)
    given = node.args.posonlyargs + node.args.args if node is not None else []
    for one in _own(node) if node is not None and given else ():
        if isinstance(one, ast.Assign) and any(
            ast.unparse(target) == f"{given[0].arg}.{attribute}" for target in one.targets
        ):
            return place_in(filename, one), one.value
    return None


def written(function: Any) -> tuple[str, Node | None]:
    """The file of a function, and its node there; none where it is not written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    if code is None:
        return "", None
    filename = str(Path(code.co_filename).absolute())
    tree = tree_of(filename)
    nodes = [node for node in ast.walk(tree) if isinstance(node, Node)] if tree else []
    named = [node for node in nodes if getattr(node, "name", "<lambda>") == code.co_name]
    fitting = (node for node in named if _first_row(node) == code.co_firstlineno)
    return filename, next(fitting, None)


def _first_row(node: Node) -> int:
    """The row that a code object gives: that of the first decorator."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Node):
            yield child
            yield from _own(child)

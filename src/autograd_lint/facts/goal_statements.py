"""The statements of a function on which a fault may arise, or in what they call."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator

from autograd_lint.facts.relevance import functions, words
from autograd_lint.facts.tensor_writes import rows_within, walking_rows, writing_rows
from autograd_lint.facts.triggers import Marks, Triggers, triggers
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import statements, walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# What keeps a tensor under a name that is computed.
_KEEPS = Marks(words=(), patterns=(r"register_buffer\(\s*[^'\"\s]",), lines=())
# What returns a leaf that it makes to require grad.
_RETURNS_LEAF = Marks(
    words=(), patterns=(r"return\b[^\n]*\brequires_grad(?:_\(|\s*=\s*True)",), lines=()
)
# What stands in conditions of all kinds.
_COMMON = frozenset((*keyword.kwlist, "self", "isinstance", "len", "hasattr", "torch"))
# Decorators under which no graph is made, and functions that only set initial values.
_WITHOUT_GRAPH = re.compile(r"\b(?:no_grad|inference_mode)\b")
_PREPARES = re.compile(r"init|load|reset|save|^__repr__$")


@query
def goal_statements(source: Source, node: ast.AST) -> frozenset[ast.stmt]:
    """The simple statements of a function that write, walk or keep, or call what does, or what
    may return a number in the place of a tensor; and those that return a leaf.

    None where a decorator says that no graph is made, and where initial values are set only what
    keeps: parameters may be written there, as where weights are loaded.
    """
    if _makes_no_graph(node):
        return frozenset()
    prepares = _PREPARES.search(getattr(node, "name", ""))
    return _on_rows(node, frozenset(_keeping_rows(source)) if prepares else _rows(source))


@query
def returned_goals(source: Source, node: ast.AST) -> frozenset[ast.stmt]:
    """Those of them on which a fault may arise at who calls the function: which may return a number
    in the place of a tensor."""
    numbers = _returning_numbers(source)
    if not numbers or _makes_no_graph(node) or _PREPARES.search(getattr(node, "name", "")):
        return frozenset()
    return _on_rows(node, frozenset(_calling_rows(source, numbers)))


@query
def asked_before(source: Source, node: ast.AST) -> list[tuple[int, frozenset[str]]]:
    """The words of the conditions in a function, by the rows on which they begin."""
    asked = (getattr(one, "test", None) for one in walk(node))
    return [
        (test.lineno, frozenset(words(source.segment(test))) - _COMMON)
        for test in asked
        if isinstance(test, ast.expr)
    ]


@query
def _rows(source: Source) -> frozenset[int]:
    called = _calling_rows(source, _doing(source, triggers(source)) | _returning_numbers(source))
    others = (*_keeping_rows(source), *_RETURNS_LEAF.rows(source))
    return frozenset((*writing_rows(source), *walking_rows(source), *others, *called))


def _calling_rows(source: Source, names: frozenset[str]) -> Iterator[int]:
    """The rows on which functions of some names are called."""
    found = triggers(source)
    calls = zip(found.call_rows, found.calls, strict=True)
    return (row for row, name in calls if name in names)


@query
def _keeping_rows(source: Source) -> list[int]:
    return _KEEPS.rows(source)


def _doing(source: Source, found: Triggers) -> frozenset[str]:
    """The functions of a file in which a fault may be, or which keep, or call such a one that keeps
    under a computed name."""
    able = [
        node
        for node in functions(source.tree.body)
        if not (_makes_no_graph(node) or _PREPARES.search(node.name))
    ]
    keeping = {node.name for node in able if rows_within(_keeping_rows(source), node)}
    callers = {node.name for node in able if keeping and not keeping.isdisjoint(found.called(node))}
    return frozenset({node.name for node in able if found.within(node)} | keeping | callers)


@query
def _returning_numbers(source: Source) -> frozenset[str]:
    """The functions of a file that return a plain number on one way, and no number on another."""
    defined = source.each(ast.FunctionDef)
    return frozenset(node.name for node in defined if _may_return_number(node))


def _may_return_number(function: ast.FunctionDef) -> bool:
    returned = [node.value for node in statements(function) if isinstance(node, ast.Return)]
    chosen = (one for one in returned if one is not None)
    sides = [side for one in chosen for side in _sides(one)]
    numbers = sum(
        isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in sides
    )
    return 0 < numbers < len(sides)


def _sides(value: ast.expr) -> tuple[ast.expr, ...]:
    return (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)


def _makes_no_graph(node: ast.AST) -> bool:
    marks: list[ast.expr] = getattr(node, "decorator_list", [])
    return any(_WITHOUT_GRAPH.search(code_of(mark)) for mark in marks)


def _on_rows(node: ast.AST, rows: frozenset[int]) -> frozenset[ast.stmt]:
    """The simple statements of a function that stand on some rows."""
    return frozenset(
        one for one in _simple(node) if not rows.isdisjoint(range(one.lineno, _last(one) + 1))
    )


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _simple(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function that hold no others, aside from those of inner functions."""
    stack: list[ast.AST] = (
        list(node.body) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    )
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(part, ast.stmt) and not hasattr(part, "body"):
            yield part
        else:
            stack.extend(ast.iter_child_nodes(part))

"""Statements that no run has reached, and the way to them.

A run takes the usual side of an unknown condition, and a few runs do not cover every branch. Where
a statement that a fault may stand on was left out, one more run is directed to it: it starts where
the file's own callers start, and takes the sides that lead there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from autograd_lint.analysis.repeated_calls import called_again
from autograd_lint.facts.files_of_tests import is_left_out
from autograd_lint.facts.relevance import definitions
from autograd_lint.facts.tensor_writes import rows_within, walking_rows, writing_rows
from autograd_lint.facts.triggers import triggers
from autograd_lint.immutable import immutable
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.statements import leaves

CALLERS = 3  # callers above the function in which the statement stands

Def = ast.FunctionDef | ast.AsyncFunctionDef
Sides = dict[ast.AST, bool]

# Functions that only set initial values, and decorators under which no graph is made.
_PREPARES = re.compile(r"init|load|reset|save|^__repr__$")
_NO_GRAPH = re.compile(r"no_grad|inference_mode")


@immutable
class Start:
    """Where a run may begin: a function of the module, or a method of one of its classes."""

    name: str
    owner: str | None
    node: Def


@immutable
class Goal:
    """Where to begin, which sides to take, and the rows that are of interest there."""

    start: Start
    sides: Sides
    rows: frozenset[int]


@dataclass
class Covered:
    """The functions and the sides of `if` statements that runs reached."""

    functions: set[ast.AST] = field(default_factory=set)
    sides: set[tuple[ast.AST, bool]] = field(default_factory=set)

    def holds(self, start: Start, sides: Sides) -> bool:
        return start.node in self.functions and all(side in self.sides for side in sides.items())


def goals(source: Source, names: Collection[str], covered: Covered) -> Iterator[Goal]:
    """The ways to what was not reached in the definitions of those names, one a statement."""
    starts = list(_starts(source, names))
    again = {**_walked(source, starts), **_again(source, starts)}
    for start in filter(_makes_graphs, starts):
        rows = rows_within(_risky_rows(source), start.node) | rows_within(sorted(again), start.node)
        for statement, sides in _statements(start.node, rows):
            if not covered.holds(start, sides):
                first, way = _from_callers(source, starts, start, sides)
                if _makes_graphs(first):
                    yield Goal(first, way, _concerned(statement, again))


def _concerned(statement: ast.stmt, again: dict[int, frozenset[int]]) -> frozenset[int]:
    """The rows of a statement, and of what is written by a function that is called again there."""
    rows = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    return frozenset(rows).union(*(again[row] for row in rows if row in again))


def _again(source: Source, starts: list[Start]) -> dict[int, frozenset[int]]:
    rows = writing_rows(source)
    writes = {
        start.node: frozenset(rows_within(rows, start.node))
        for start in starts
        if not _PREPARES.search(start.name)
    }
    return called_again([start.node for start in starts], triggers(source), writes)


def _makes_graphs(start: Start) -> bool:
    decorators = " ".join(map(code_of, start.node.decorator_list))
    prepares = _PREPARES.search(start.name) or is_left_out(start.node)
    return not prepares and not _NO_GRAPH.search(decorators)


def joined(found: Iterator[Goal]) -> list[list[Goal]]:
    """Goals that one run can reach, together."""
    groups: list[tuple[Start, Sides, list[Goal]]] = []
    for goal in found:
        for start, sides, group in groups:
            if start == goal.start and _agree(sides, goal.sides):
                sides.update(goal.sides)
                group.append(goal)
                break
        else:
            groups.append((goal.start, dict(goal.sides), [goal]))
    return [group for _, _, group in groups]


def _agree(one: Sides, other: Sides) -> bool:
    return all(one.get(node, side) is side for node, side in other.items())


def _starts(source: Source, names: Collection[str]) -> Iterator[Start]:
    for node in definitions(source.tree.body):
        if node.name not in names:
            continue
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Def):
                    yield Start(method.name, node.name, method)
        else:
            yield Start(node.name, None, node)


@query
def _risky_rows(source: Source) -> list[int]:
    return sorted({*writing_rows(source), *walking_rows(source)})


def _walked(source: Source, starts: list[Start]) -> dict[int, frozenset[int]]:
    """The calls of methods that walk a graph, each with the rows of the method.

    A method knows less when it is called for itself than when its own callers give it something.
    """
    rows = walking_rows(source)
    methods = [start for start in starts if start.owner and rows_within(rows, start.node)]
    calls = _calls(source)
    return {
        row: frozenset(range(start.node.lineno, (start.node.end_lineno or 0) + 1))
        for start in methods
        for row in calls.get(start.name, ())
    }


def _statements(node: Def, rows: set[int]) -> Iterator[tuple[ast.stmt, Sides]]:
    """The simple statements of a function that stand on those rows, and the way to each."""
    stack: list[tuple[list[ast.stmt], Sides]] = [(node.body, {})] if rows else []
    while stack:
        body, sides = stack.pop()
        for statement in body:
            last = statement.end_lineno or statement.lineno
            if rows.isdisjoint(range(statement.lineno, last + 1)):
                sides = {**sides, **_passing(statement)}
            elif isinstance(statement, ast.If):
                stack.append((statement.body, {**sides, statement: True}))
                stack.append((statement.orelse, {**sides, statement: False}))
                sides = {**sides, **_passing(statement)}
            else:
                inner = list(_blocks(statement))
                stack.extend((block, sides) for block in inner)
                if not inner:
                    yield statement, {**sides, **_chosen(statement, rows)}


def _chosen(statement: ast.stmt, rows: set[int]) -> Sides:
    """The sides of conditional expressions on which a statement has those rows."""
    found: Sides = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.IfExp):
            first, second = (_stands(side, rows) for side in (node.body, node.orelse))
            if first is not second:
                found[node] = first
    return found


def _stands(side: ast.expr, rows: set[int]) -> bool:
    """Whether a call stands there, on one of the rows."""
    calls = (part for part in ast.walk(side) if isinstance(part, ast.Call))
    return any(not rows.isdisjoint(range(c.lineno, (c.end_lineno or c.lineno) + 1)) for c in calls)


def _passing(statement: ast.stmt) -> Sides:
    """The sides by which a run gets past a statement that may leave."""
    sides: Sides = {}
    while isinstance(statement, ast.If) and leaves(statement.body):
        sides[statement] = False
        if len(statement.orelse) != 1:
            break
        statement = statement.orelse[0]
    return sides


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement that are run as a rule."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block and not isinstance(statement, ast.ClassDef):
            yield block


def _from_callers(
    source: Source, starts: list[Start], start: Start, sides: Sides
) -> tuple[Start, Sides]:
    """Begin where the file's own callers begin: only they know what they hand over."""
    seen = [start]
    for _ in range(CALLERS):
        rows = _calls(source).get(start.name, set())
        others = (other for other in starts if other not in seen)
        way = next((way for o in others for way in _ways(o, rows, sides)), None)
        if way is None:
            break
        start, sides = way
        seen.append(start)
    return start, sides


@query
def _calls(source: Source) -> dict[str, set[int]]:
    """The rows of a file on which each name is called."""
    found = triggers(source)
    rows: dict[str, set[int]] = {}
    for row, name in zip(found.call_rows, found.calls, strict=True):
        rows.setdefault(name, set()).add(row)
    return rows


def _ways(caller: Start, rows: set[int], sides: Sides) -> Iterator[tuple[Start, Sides]]:
    if rows.isdisjoint(range(caller.node.lineno, (caller.node.end_lineno or 0) + 1)):
        return
    for _, way in _statements(caller.node, rows):
        if _agree(way, sides):
            yield caller, {**sides, **way}

"""The decisions of a program of which it is known on which rows it was.

A program that has reached a row has taken the sides of conditions on which the row stands, has
entered the loops around it, has got past what would have left the function before it, was in the
handler around it because the body of its `try` had failed, and in the case of a `match`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from autograd_lint.project.code import called_name
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.statements import leaves

Def = ast.FunctionDef | ast.AsyncFunctionDef
Decision = tuple[ast.AST, bool]
Decisions = dict[ast.AST, bool]
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITH = (ast.With, ast.AsyncWith)


@dataclass(frozen=True)
class KnownPath:
    """The rows, by file, that a program is known to have reached.

    `recorded` says that gradients were recorded there, as the error that it ended in shows.
    """

    rows: Mapping[str, Collection[int]] = field(default_factory=dict)
    recorded: bool = False

    def decisions(self, source: Source) -> Decisions:
        """What the program has decided in a file: sides of `if` statements and expressions, and
        loops, handlers, cases and calls of `set_grad_enabled` for which it was True."""
        found: Decisions = {}
        for row in self.rows.get(source.filename, ()):
            way = dict(_way(_around(source, row).body, row))
            # What two rows are at odds about, a loop takes both sides of.
            at_odds = {node for node, side in way.items() if found.get(node, side) != side}
            found.update(way)
            for node in at_odds:
                del found[node]
        if self.recorded:
            return found
        return {node: side for node, side in found.items() if not isinstance(node, ast.Call)}


def _around(source: Source, row: int) -> Def | ast.Module:
    """The innermost function around a row, else the module."""
    own = [one for one in _functions(source) if one.body[0].lineno <= row <= (one.end_lineno or 0)]
    return max(own, key=lambda one: one.lineno, default=source.tree)


@query
def _functions(source: Source) -> list[Def]:
    return [node for node in ast.walk(source.tree) if isinstance(node, Def)]


def _way(body: list[ast.stmt], row: int) -> Iterator[Decision]:
    """What leads from the beginning of a block to a row in it."""
    for statement in body:
        if statement.lineno <= row <= (statement.end_lineno or statement.lineno):
            yield from _inside(statement, row)
            return
        if statement.lineno > row:
            return
        yield from _past(statement)


def _inside(statement: ast.stmt, row: int) -> Iterator[Decision]:
    if isinstance(statement, ast.If):
        for block, side in ((statement.body, True), (statement.orelse, False)):
            if _holds(block, row):
                yield statement, side
    elif isinstance(statement, _LOOPS) and _holds(statement.body, row):
        yield statement, True
    elif isinstance(statement, _WITH) and _holds(statement.body, row):
        yield from ((item.context_expr, True) for item in statement.items if _is_switch(item))
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        if _holds(part.body, row):
            yield part, True
            yield from _way(part.body, row)
    if isinstance(statement, ast.ClassDef):
        return
    blocks = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
    inner = [block for block in blocks if block]
    if not inner:
        yield from _chosen(statement, row)
    for block in inner:
        if _holds(block, row):
            yield from _way(block, row)


def _holds(block: list[ast.stmt], row: int) -> bool:
    return bool(block) and block[0].lineno <= row <= (block[-1].end_lineno or row)


def _is_switch(item: ast.withitem) -> bool:
    """Whether a context turns recording on or off, as its argument says."""
    return called_name(item.context_expr) == "set_grad_enabled"


def _chosen(statement: ast.stmt, row: int) -> Iterator[Decision]:
    """The sides of conditional expressions on which calls stand on a row."""
    for node in ast.walk(statement):
        if isinstance(node, ast.IfExp):
            first, second = (_calls_on(side, row) for side in (node.body, node.orelse))
            if first is not second:
                yield node, first


def _calls_on(side: ast.expr, row: int) -> bool:
    calls = (part for part in ast.walk(side) if isinstance(part, ast.Call))
    return any(call.lineno <= row <= (call.end_lineno or row) for call in calls)


def _past(statement: ast.stmt) -> Iterator[Decision]:
    """What gets a program past a statement that may leave the function, the loop or the program."""
    while isinstance(statement, ast.If):
        if statement.orelse and _leaves(statement.orelse):
            yield statement, True
            return
        if not _leaves(statement.body):
            return
        yield statement, False
        if len(statement.orelse) != 1:
            return
        statement = statement.orelse[0]


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block ends by leaving, whichever way it takes."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    if isinstance(last, _WITH):
        return _leaves(last.body)
    return leaves(body)

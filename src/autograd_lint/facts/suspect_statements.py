"""The statements of a file on which an error of autograd may arise: those that write or walk."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.facts.body import Function
from autograd_lint.facts.tensor_writes import walking_rows, writing_rows
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

Around = ast.If | Function | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Suspect:
    """A statement, and what stands around it: definitions and `if` statements, outermost first."""

    statement: ast.stmt
    around: tuple[Around, ...]

    @property
    def function(self) -> Function | None:
        """The function in which it stands; None for what a module or class runs itself."""
        inner = next((one for one in self.around[::-1] if not isinstance(one, ast.If)), None)
        return inner if isinstance(inner, Function) else None

    @property
    def branches(self) -> tuple[ast.If, ...]:
        """The `if` statements around it in its function, outermost first."""
        found: list[ast.If] = []
        for one in self.around:
            found = [*found, one] if isinstance(one, ast.If) else []
        return tuple(found)

    @property
    def rows(self) -> range:
        """The rows on which it stands."""
        return range(self.statement.lineno, (self.statement.end_lineno or 0) + 1)

    @property
    def name(self) -> str:
        """The dotted name of the function or class in which it stands; empty outside of all."""
        return ".".join(one.name for one in self.around if not isinstance(one, ast.If))


@query
def suspect_statements(source: Source) -> list[Suspect]:
    """The suspect statements of a file, in order."""
    rows = frozenset((*writing_rows(source), *walking_rows(source)))
    found = (one for one in _simple(source.tree.body, ()) if not rows.isdisjoint(one.rows))
    return sorted(found, key=lambda one: one.statement.lineno)


def _simple(body: list[ast.stmt], around: tuple[Around, ...]) -> Iterator[Suspect]:
    """The statements of a block that hold no others, those of inner blocks among them."""
    for statement in body:
        blocks = list(_blocks(statement))
        inner = (*around, statement) if isinstance(statement, Around) else around
        for block in blocks:
            yield from _simple(block, inner)
        if not (blocks or _is_text(statement)):
            yield Suspect(statement, around)


def _is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a text that stands by itself, as a docstring does."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body

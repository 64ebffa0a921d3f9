"""One source file as text, with its syntax tree and its places."""

import ast
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from autograd_lint.places import Place
from autograd_lint.project.nodes import walk
from autograd_lint.project.pieces import Pieces

N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True)
class Source:
    """A file that was read: its text and its name (absolute, or what the user called it).

    `shown` are the rows on which the cells of a notebook end: it shows what an expression there
    gives. `stands_for` is the dotted name of the module of an outside package that this is a model
    of: what it does is done where the program calls it.
    """

    filename: str
    text: str
    shown: frozenset[int] = frozenset()
    stands_for: str = ""
    _plain: bool = field(init=False, repr=False, default=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_plain", self.text.isascii())

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree.

        Raises SyntaxError, and RecursionError or MemoryError on absurd nesting.
        """
        return ast.parse(self.text, self.filename)

    def holds(self, node: ast.AST) -> bool:
        """Whether a node is one of the syntax tree."""
        return id(node) in self._nodes

    @cached_property
    def _nodes(self) -> frozenset[int]:
        return frozenset(id(node) for nodes in self._by_class.values() for node in nodes)

    def each(self, kind: type[N]) -> list[N]:
        """The nodes of a class in the whole syntax tree, the outer ones first."""
        return self._by_class.get(kind, [])  # type: ignore[return-value]

    @property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """All imports of the file, those inside of functions too."""
        return [*self.each(ast.Import), *self.each(ast.ImportFrom)]

    @cached_property
    def _by_class(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        for node in walk(self.tree):
            found.setdefault(type(node), []).append(node)
        return found

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them (form feeds and the like do not end a line)."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @cached_property
    def pieces(self) -> Pieces:
        """The text in pieces; raises what `tree` does."""
        return Pieces(self.lines, self.tree.body)

    def text_of(self, first: int, last: int) -> str:
        """The lines from one row to another."""
        return "\n".join(self.lines[first - 1 : last])

    def segment(self, node: ast.AST) -> str:
        """The lines a node stands on."""
        return "\n".join(self.lines[node.lineno - 1 : node.end_lineno])  # type: ignore[attr-defined]

    def place(self, node: ast.AST) -> Place:
        """The place of a node that has a position, columns in characters."""
        found = self._places.get(node)
        if found is None:
            found = self._places[node] = self._place_of(node)
        return found

    @cached_property
    def _places(self) -> dict[ast.AST, Place]:
        """The places that were asked for."""
        return {}

    def _place_of(self, node: ast.AST) -> Place:
        row, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end_row, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return Place(
            self.filename,
            row,
            self._characters(row, column) + 1,
            end_row,
            self._characters(end_row, end_column) + 1,
        )

    def _characters(self, row: int, column: int) -> int:
        # `ast` counts columns in bytes of UTF-8.
        if self._plain:
            return column
        return len(self.lines[row - 1].encode()[:column].decode(errors="replace"))

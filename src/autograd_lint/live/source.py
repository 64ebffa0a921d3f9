"""The syntax trees of the program's files, for what bytecode does not say."""

import ast
import linecache
from collections.abc import Callable, Iterator
from functools import lru_cache

from autograd_lint.engine.faults import Fault
from autograd_lint.places import Place
from autograd_lint.project.source import Source


@lru_cache(maxsize=16)
def tree_of(filename: str) -> ast.Module | None:
    """The tree of a file; None where it cannot be read or parsed."""
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def judged(judge: Callable[[Source], Iterator[Fault]], filename: str) -> list[Fault]:
    """What a judge finds in the text of a file; nothing where it cannot be read or parsed."""
    try:
        return [*judge(Source(filename, "".join(linecache.getlines(filename))))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def lines_of(filename: str) -> list[str]:
    """The lines of a file, or of a notebook's cell."""
    return [line.rstrip("\n") for line in linecache.getlines(filename)]


def place_in(filename: str, node: ast.stmt | ast.expr) -> Place:
    """The place of a node; of a definition or a compound statement only its first line."""
    row, text = node.lineno, linecache.getline(filename, node.lineno).rstrip()
    start = len(text.encode()[: node.col_offset].decode(errors="replace")) + 1
    if isinstance(node, ast.expr) and node.end_lineno == row and node.end_col_offset is not None:
        end = len(text.encode()[: node.end_col_offset].decode(errors="replace")) + 1
        return Place(filename, row, start, row, end)
    return Place(filename, row, start, row, len(text) + 1)


def line(filename: str, row: int) -> Place:
    """The place of all that stands in one line."""
    text = linecache.getline(filename, row).rstrip()
    return Place(filename, row, len(text) - len(text.lstrip()) + 1, row, len(text) + 1)

"""Finding, in the fast reading, the few lines that the exact reading is to parse."""

import ast
from bisect import bisect_right
from collections.abc import Iterator

from autograd_lint.places import Place
from autograd_lint.project.source import Source

Rows = tuple[int, int]


def rows_around(source: Source, place: Place) -> Rows | None:
    """First and last row of the smallest statement around `place` that can be parsed alone.

    Statements that share a line count as one. None where no statement holds the place, or the file
    cannot be parsed.
    """
    try:
        chain = list(_enclosing(source.tree, place))
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None
    alone = [rows for rows, group in chain if _starts_its_line(source, group[0])]
    return alone[-1] if alone else None


def _enclosing(tree: ast.AST, place: Place) -> Iterator[tuple[Rows, list[ast.stmt]]]:
    """The statements around `place` with their rows, the outermost first."""
    for group in _lines(tree, place.row):
        rows = _rows(group)
        if rows[0] <= place.row and place.end_row <= rows[1]:
            yield rows, group
            for statement in group:
                yield from _enclosing(statement, place)


def _lines(node: ast.AST, row: int) -> Iterator[list[ast.stmt]]:
    """The statements directly in `node` around a row, those that share a line together."""
    group: list[ast.stmt] = []
    for statement in _statements(node, row):
        if group and _rows([statement])[0] > _rows(group)[1]:
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def _statements(node: ast.AST, row: int) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Module):
        yield from _near(node.body, row)
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from _statements(child, row)


def _near(body: list[ast.stmt], row: int) -> list[ast.stmt]:
    """The statements of a module on or right behind a row, found without going through them all."""
    last = bisect_right(body, row, key=lambda statement: statement.lineno)
    first = max(last - 1, 0)
    while first and _rows([body[first - 1]])[1] >= body[first].lineno:
        first -= 1
    while 0 < last < len(body) and body[last].lineno <= _rows([body[last - 1]])[1]:
        last += 1
    return body[first : last + 1]


def _rows(group: list[ast.stmt]) -> Rows:
    decorators: list[ast.expr] = getattr(group[0], "decorator_list", [])
    first = min([group[0].lineno, *(decorator.lineno for decorator in decorators)])
    return first, group[-1].end_lineno or group[-1].lineno


def _starts_its_line(source: Source, statement: ast.stmt) -> bool:
    line = source.lines[statement.lineno - 1]
    before = line.encode()[: statement.col_offset]
    # `elif` is an `If` of its own in the syntax tree.
    return not before.strip() and not line.lstrip().startswith("elif")

"""Finding, in the fast reading, the few lines that the exact reading is to parse."""

import ast
from collections.abc import Iterator

from autograd_lint.places import Place
from autograd_lint.project.source import Source


def rows_around(source: Source, place: Place) -> tuple[int, int] | None:
    """First and last row of the smallest statement around `place` that can be parsed alone.

    None where no statement holds it, or the file cannot be parsed.
    """
    try:
        chain = list(_enclosing(source.tree, place))
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None
    alone = [statement for statement in chain if _starts_its_line(source, statement)]
    found = alone[-1:] or chain[:1]
    return _rows(found[0]) if found else None


def _enclosing(tree: ast.AST, place: Place) -> Iterator[ast.stmt]:
    """The statements around `place`, the outermost first."""
    found: ast.stmt | None = None
    for statement in _statements(tree):
        first, last = _rows(statement)
        # Of several statements on one line the last that begins before the place holds it.
        if (
            first <= place.row
            and place.end_row <= last
            and not (
                found is not None
                and statement.lineno == place.row
                and statement.col_offset >= place.column
            )
        ):
            found = statement
    if found is not None:
        yield found
        yield from _enclosing(found, place)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from _statements(child)


def _rows(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return first, statement.end_lineno or statement.lineno


def _starts_its_line(source: Source, statement: ast.stmt) -> bool:
    first, _ = _rows(statement)
    line = source.lines[first - 1]
    before = line.encode()[: statement.col_offset].decode(errors="replace")
    # `elif` is an `If` of its own in the syntax tree.
    return not before.strip() and not line.lstrip().startswith("elif")

"""A source after an edit: what stands as it stood keeps its syntax tree, for trees carry with them
what was found out about their code.

A module is parsed statement by statement: one that begins in the first column of a line, below
another that has ended, means the same whatever stands above and below it. So only the lines from
the statement above the first changed line to that below the last one are parsed anew. A class in
which something has changed keeps its other methods.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from autograd_lint.project.pieces import Pieces
from autograd_lint.project.source import Source

_PARTS = "_parts"  # where a statement of a module keeps those of its nodes that have places


def renewed(before: Source, text: str) -> Source:
    """The source of the same file with another text; `before`, which was parsed, is used up.

    Raises what `Source.tree` does where the text cannot be parsed; `before` can still be used then.
    """
    after = Source(before.filename, text, before.shown)
    body = before.tree.body
    above, below = _unchanged(before.lines, after.lines)
    first = _standing_above(body, above)
    last = _standing_below(before, first, len(before.lines) - below)
    start = _end(body[first - 1]) if first else 0
    end = len(after.lines) - (len(before.lines) - _begin(body[last]) + 1 if last < len(body) else 0)
    try:
        # Empty lines above give what is parsed its places.
        changed = ast.parse("\n" * start + "\n".join(after.lines[start:end]), after.filename).body
    except SyntaxError:
        # It may still end further down. If not, the message is to be that for the whole text.
        _ = after.tree
        return after
    del vars(before)["tree"]
    _take_over(before, body[first:last], after, changed)
    for statement in body[last:]:
        _move(statement, len(after.lines) - len(before.lines))
    vars(after)["tree"] = ast.Module([*body[:first], *changed, *body[last:]], [])
    vars(after)["pieces"] = Pieces(after.lines, after.tree.body, vars(before).pop("pieces", None))
    return after


def _take_over(before: Source, old: Sequence[ast.stmt], after: Source, new: list[ast.stmt]) -> None:
    """Let statements that are parsed anew be the old ones where they are the same.

    Classes that are not have the old ones of theirs.
    """
    texts = {before.text_of(*_rows(one)): one for _, one in _alone(old)}
    changed: list[ast.ClassDef] = []
    for index, statement in _alone(new):
        same = texts.pop(after.text_of(*_rows(statement)), None)
        if same is not None:
            _move(same, _begin(statement) - _begin(same))
            new[index] = same
        elif isinstance(statement, ast.ClassDef):
            changed.append(statement)
    classes = {one.name: one for one in texts.values() if isinstance(one, ast.ClassDef)}
    for cls in changed:
        known = classes.pop(cls.name, None)
        if known is not None:
            _take_over(before, known.body, after, cls.body)


def _alone(body: Sequence[ast.stmt]) -> list[tuple[int, ast.stmt]]:
    """The statements of a block that share their rows with no other, with their positions."""
    ends = [0, *map(_end, body)]
    begins = [*map(_begin, body), ends[-1] + 1]
    return [
        (index, statement)
        for index, statement in enumerate(body)
        if begins[index] > ends[index] and begins[index + 1] > ends[index + 1]
    ]


def _rows(statement: ast.stmt) -> tuple[int, int]:
    return _begin(statement), _end(statement)


def _unchanged(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many lines at the beginning and at the end are the same, none counted twice."""
    most = min(len(before), len(after))
    above = next((i for i in range(most) if before[i] != after[i]), most)
    most -= above
    below = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    return above, below


def _standing_above(body: list[ast.stmt], rows: int) -> int:
    """How many statements are the same as long as so many rows at the top are.

    The last of them is not counted: what follows it may belong to it.
    """
    count = sum(_end(statement) <= rows for statement in body)
    count = max(0, count - 1)
    while count and not _apart(body, count):
        count -= 1
    return count


def _standing_below(source: Source, first: int, rows: int) -> int:
    """From which statement on all are the same as long as those below so many rows are."""
    body = source.tree.body
    for index in range(first, len(body)):
        row = _begin(body[index])
        plain = body[index].col_offset == 0 and not source.lines[row - 1][:1].isspace()
        if row > rows and plain and (not index or _apart(body, index)):
            return index
    return len(body)


def _apart(body: list[ast.stmt], index: int) -> bool:
    """Whether a statement begins on a later row than that on which the one above ends."""
    return _begin(body[index]) > _end(body[index - 1])


def _begin(statement: ast.stmt) -> int:
    """The first row of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _move(statement: ast.stmt, rows: int) -> None:
    """Let a statement stand so many rows further down."""
    if not rows:
        return
    parts: list[ast.expr] | None = vars(statement).get(_PARTS)
    if parts is None:
        placed = (node for node in ast.walk(statement) if hasattr(node, "lineno"))
        # Not the statement itself, which would never be let go of.
        parts = [cast(ast.expr, node) for node in placed if node is not statement]
        vars(statement)[_PARTS] = parts
    for part in (cast(ast.expr, statement), *parts):
        part.lineno += rows
        part.end_lineno = (part.end_lineno or part.lineno) + rows

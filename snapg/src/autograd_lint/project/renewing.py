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
from dataclasses import dataclass
from typing import cast

from autograd_lint.project.pieces import Pieces
from autograd_lint.project.source import Source

_PARTS = "_parts"  # where a statement of a module keeps those of its nodes that have places


@dataclass(frozen=True)
class _Edit:
    """Two texts of a file, and how many of their lines, first and last, are the same."""

    before: Source
    after: Source
    above: int
    below: int

    @property
    def last(self) -> int:
        """The last row that has changed, as it was before."""
        return len(self.before.lines) - self.below

    @property
    def down(self) -> int:
        """How many rows further down stands now what is below."""
        return len(self.after.lines) - len(self.before.lines)


def renewed(before: Source, text: str) -> Source:
    """The source of the same file with another text; `before`, which was parsed, is used up.

    Raises what `Source.tree` does where the text cannot be parsed; `before` can still be used then.
    """
    after = Source(before.filename, text, before.shown)
    edit = _Edit(before, after, *_unchanged(before.lines, after.lines))
    body = _within_class(edit) or _within_module(edit)
    if body is None:
        # It may still end further down. If not, the message is to be that for the whole text.
        _ = after.tree
        return after
    del vars(before)["tree"]
    vars(after)["tree"] = ast.Module(body, [])
    vars(after)["pieces"] = Pieces(after.lines, body, vars(before).pop("pieces", None))
    return after


def _within_module(edit: _Edit) -> list[ast.stmt] | None:
    """The statements of the module by now; None where what has changed does not end there."""
    body = edit.before.tree.body
    first = _standing_above(body, edit.above)
    last = _standing_below(edit, body, first, "")
    start = _end(body[first - 1]) if first else 0
    rows = _begin(body[last]) - 1 + edit.down if last < len(body) else len(edit.after.lines)
    try:
        # Empty lines above give what is parsed its places.
        changed = _parsed("\n" * start, edit.after, start, rows)
    except SyntaxError:
        return None
    return _renewed(edit, body, slice(first, last), changed)


def _within_class(edit: _Edit) -> list[ast.stmt] | None:
    """The statements of the module where only some in the body of one class have changed."""
    module = edit.before.tree.body
    index = next((i for i, one in enumerate(module) if _end(one) >= edit.last), 0)
    cls = module[index] if module else None
    if not isinstance(cls, ast.ClassDef) or edit.above < _begin(cls.body[0]) - 1:
        return None
    if (index and not _apart(module, index)) or edit.last > _end(cls):
        return None
    if index + 1 < len(module) and not _apart(module, index + 1):
        return None
    indent = _indent(edit.before, cls.body[0])
    if not indent or indent.strip(" \t"):
        return None
    first = _standing_above(cls.body, edit.above)
    last = _standing_below(edit, cls.body, first, indent)
    start = (_end(cls.body[first - 1]) + 1 if first else _begin(cls.body[0])) - 1
    rows = (_begin(cls.body[last]) - 1 if last < len(cls.body) else _end(cls)) + edit.down
    try:
        parsed = _parsed("\n" * (start - 1) + "class _:\n", edit.after, start, rows)
    except SyntaxError:
        return None
    changed = parsed[0].body if isinstance(parsed[0], ast.ClassDef) else []
    if len(parsed) > 1 or any(_indent(edit.after, one) != indent for one in changed):
        return None
    body = _renewed(edit, cls.body, slice(first, last), changed)
    return _moved_on(edit, [*module[:index], _with(cls, body)], module[index + 1 :])


def _parsed(above: str, source: Source, start: int, end: int) -> list[ast.stmt]:
    """The statements on some rows of a source, below something else."""
    return ast.parse(above + "\n".join(source.lines[start:end]), source.filename).body


def _renewed(
    edit: _Edit, body: list[ast.stmt], gone: slice, changed: list[ast.stmt]
) -> list[ast.stmt]:
    """The statements of a block, of which some are parsed anew."""
    _take_over(edit.before, body[gone], edit.after, changed)
    return _moved_on(edit, [*body[: gone.start], *changed], body[gone.stop :])


def _moved_on(edit: _Edit, above: list[ast.stmt], below: list[ast.stmt]) -> list[ast.stmt]:
    """Statements above what has changed, and those below where they stand now."""
    for statement in below:
        _move(statement, edit.down)
    return [*above, *below]


def _with(cls: ast.ClassDef, body: list[ast.stmt]) -> ast.ClassDef:
    """A class as it was but for its body."""
    fields = {name: getattr(cls, name) for name in cls._fields} | {"body": body}
    made = ast.copy_location(ast.ClassDef(**fields), cls)
    made.end_lineno, made.end_col_offset = body[-1].end_lineno, body[-1].end_col_offset
    return made


def _indent(source: Source, statement: ast.stmt) -> str:
    """What stands before a statement on its first row."""
    return source.lines[statement.lineno - 1].encode()[: statement.col_offset].decode()


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


def _standing_below(edit: _Edit, body: list[ast.stmt], first: int, indent: str) -> int:
    """From which statement of a block on all are the same, if they begin on rows of their own."""
    for index in range(first, len(body)):
        row, column = _begin(body[index]), body[index].col_offset
        line = edit.before.lines[row - 1]
        plain = line.startswith(indent) and not line[len(indent) :][:1].isspace()
        alone = column == len(indent) and (not index or _apart(body, index))
        if row > edit.last and plain and alone:
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

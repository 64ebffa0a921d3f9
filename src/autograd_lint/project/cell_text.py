"""What IPython runs of the text of a cell, row by row.

The rules are those of IPython's input transformation (documentation: "Custom input transformation",
and the reference of magics): magics and commands stand where a statement may begin, and nowhere
else; a cell may be indented as a whole, or pasted with its prompts; `%time` runs the statement
behind it.
"""

import ast
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from autograd_lint.immutable import immutable

UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing a text may raise."""

_OF_PYTHON = frozenset(
    ("autograd_trace", "capture", "debug", "memit", "mprun", "prun", "time", "timeit", "wandb")
)
_CELL_MAGIC = re.compile(r"%%(\w*)")
_TIMED = re.compile(r"%(?:time|timeit|memit|prun)\s+(?:-\w+(?:\s+\d+)?\s+)*")
_ASSIGNED = re.compile(r"^(\s*[\w.,\s\[\]'\"*]+=\s*)[%!].*$")
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)|(?:In \[\d+\]: | *\.{3,}: ?)")
_WITHOUT_SIGN = re.compile(  # "automagic": commands that need no sign before them
    r"(?:cat|cd|conda|cp|env|less|ls|man|mkdir|more|mv|pip|rm|rmdir|who|whos)\s+[^\s=(.,\[]"
)
_ESCAPES = ("%", "!", "?", ",", ";", "/")


@immutable
class Row:
    """A row of Python, and how many characters of the cell's row stand before it."""

    text: str
    before: int = 0


@dataclass(frozen=True)
class Python:
    """The Python in a cell, with as many rows; `error` says why it cannot be parsed, and then the
    rows are empty."""

    rows: tuple[Row, ...]
    error: Exception | None = None

    @property
    def text(self) -> str:
        """The rows as one text."""
        return "\n".join(row.text for row in self.rows)


def python_of(text: str) -> Python:
    """The Python in the text of a cell; what is Python as it stands is not touched."""
    rows = [Row(line) for line in text.split("\n")]
    if _parses(rows):
        return Python(tuple(rows))
    magic = _CELL_MAGIC.match(text)
    if magic and magic[1] not in _OF_PYTHON:
        return Python(tuple(Row("") for _ in rows))
    if magic:
        rows[0] = Row("")
    rows = list(_without_magics(_without_indent(_without_prompts(rows))))
    try:
        _parse(rows)
    except UNPARSED as error:
        return Python(tuple(Row("") for _ in rows), error)
    return Python(tuple(rows))


def _parse(rows: list[Row]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse("\n".join(row.text for row in rows))


def _parses(rows: list[Row]) -> bool:
    try:
        _parse(rows)
    except UNPARSED:
        return False
    return True


def _cut(row: Row, characters: int) -> Row:
    return Row(row.text[characters:], row.before + characters)


def _without_prompts(rows: list[Row]) -> list[Row]:
    """The rows without `>>>` or `In [1]:`, where the first one that says anything has it."""
    first = next((row for row in rows if row.text.strip()), None)
    if first is None or not _PROMPT.match(first.text):
        return rows
    return [_cut(row, found.end()) if (found := _PROMPT.match(row.text)) else row for row in rows]


def _without_indent(rows: list[Row]) -> list[Row]:
    """The rows without the indentation of the first one that says anything."""
    first = next((row.text for row in rows if row.text.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return [_cut(row, len(indent)) if row.text.startswith(indent) else row for row in rows]


def _without_magics(rows: list[Row]) -> Iterator[Row]:
    """The rows with `pass` for what is no Python, looked for where statements begin."""
    at = 0
    while at < len(rows):
        timed = _timed(rows[at])
        if timed is not None:
            rows[at] = timed
        magic = _as_magic(rows[at])
        end = _end_of_command(rows, at) if magic else _end_of_statement(rows, at)
        yield from [magic, *[Row("")] * (end - at - 1)] if magic else rows[at:end]
        at = end


def _timed(row: Row) -> Row | None:
    """The statement behind a magic that runs it; None for other rows."""
    found = _TIMED.match(row.text.lstrip())
    indent = len(row.text) - len(row.text.lstrip())
    if not found or not row.text[indent + found.end() :].strip():
        return None
    cut = _cut(row, found.end())
    return replace(cut, text=row.text[:indent] + row.text[indent + found.end() :])


def _as_magic(row: Row) -> Row | None:
    """What stands for a row that is a magic, a command or a question; None for Python."""
    bare = row.text.strip()
    indent = row.text[: len(row.text) - len(row.text.lstrip())]
    code = bare.split("#")[0].rstrip()
    if (
        bare.startswith(_ESCAPES)
        or _WITHOUT_SIGN.match(bare)
        or (code.endswith("?") and not code.startswith(("#", '"', "'")))
    ):
        return replace(row, text=f"{indent}pass")
    assigned = _ASSIGNED.match(row.text)
    return replace(row, text=f"{assigned[1]}None") if assigned else None


def _end_of_command(rows: list[Row], at: int) -> int:
    """The row behind a command, which goes on behind a backslash."""
    while at < len(rows) - 1 and rows[at].text.rstrip().endswith("\\"):
        at += 1
    return at + 1


def _end_of_statement(rows: list[Row], at: int) -> int:
    """The row behind the logical line that begins on a row."""
    if not rows[at].text.split("#")[0].strip():
        return at + 1
    lines = (row.text + "\n" for row in rows[at:])
    try:
        for token in tokenize.generate_tokens(partial(next, lines, "")):
            if token.type == tokenize.NEWLINE:
                return at + token.start[0]
    except (tokenize.TokenError, SyntaxError):
        pass
    return at + 1

"""Code in Markdown and in docstrings: as programs of their own whose rows are those of the file.

The Python blocks of a Markdown file are one program, in order; so are the examples of a docstring,
by Python's own prompts. What cannot be parsed shows more than code, and is left out.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.project.cell_text import Row, python_of
from autograd_lint.project.discovery import MARKDOWN
from autograd_lint.project.source import Source

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w.+-]*)")
_LANGUAGES = ("py", "python", "python3", "pycon")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)")


def is_markdown(filename: str) -> bool:
    """Whether a file is Markdown by its name."""
    return filename.endswith(MARKDOWN)


@dataclass(frozen=True)
class Blocks:
    """One program in a file: its rows are those of the file, empty where it has none of it."""

    filename: str
    rows: tuple[Row, ...]

    @property
    def source(self) -> Source:
        """The program."""
        return Source(self.filename, "\n".join(row.text for row in self.rows))

    def moved(self, finding: Finding) -> Finding:
        """A finding in the program as one in the file; a fix would have to keep what stands before
        its rows, so there is none where anything does."""
        related = tuple(self._related(one) for one in finding.related)
        fix = finding.fix
        if fix is not None and any(self._is_cut(edit.place) for edit in fix.edits):
            fix = None
        return replace(finding, place=self._placed(finding.place), related=related, fix=fix)

    def _related(self, other: Related) -> Related:
        return replace(other, place=self._placed(other.place))

    def _is_cut(self, place: Place) -> bool:
        return place.filename == self.filename and any(
            row.before for row in self.rows[place.row - 1 : place.end_row]
        )

    def _placed(self, place: Place) -> Place:
        if place.filename != self.filename:
            return place
        first, last = self.rows[place.row - 1], self.rows[place.end_row - 1]
        return replace(
            place,
            column=place.column + first.before,
            end_column=place.end_column + last.before,
        )


def of_markdown(source: Source) -> Blocks:
    """The program in the Python blocks of a Markdown file."""
    rows = [Row("") for _ in source.lines]
    for start, stop, indent in _fenced(source.lines):
        for index, row in enumerate(_python(source.lines[start:stop], indent), start):
            rows[index] = row
    return Blocks(source.filename, tuple(rows))


def _python(lines: list[str], indent: str) -> Iterator[Row]:
    """The rows of one block, without the indentation of its fence."""
    cut = [line.removeprefix(indent) for line in lines]
    for line, bare, row in zip(lines, cut, python_of("\n".join(cut)).rows, strict=True):
        yield replace(row, before=row.before + len(line) - len(bare))


def _fenced(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The first line and the end of every Python block, and the indentation of its fence."""
    index = 0
    while index < len(lines):
        opened = _FENCE.match(lines[index])
        index += 1
        if not opened:
            continue
        start = index
        while index < len(lines) and not lines[index].strip().startswith(opened["fence"]):
            index += 1
        if opened["language"].lower() in _LANGUAGES:
            yield start, index, opened["indent"]
        index += 1


def of_docstrings(source: Source) -> Iterator[Blocks]:
    """The programs in the examples of a file's docstrings; it parses."""
    if ">>>" not in source.text:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Expr) and _shows_something(node.value):
            rows = list(_examples(source.lines, node.lineno, node.end_lineno or node.lineno))
            if any(row.text for row in rows):
                yield Blocks(source.filename, tuple(rows))


def _shows_something(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" in node.value


def _examples(lines: list[str], first: int, last: int) -> Iterator[Row]:
    """The rows of a file with the examples of the docstring on some rows, if these parse."""
    rows = [_example(line) for line in lines[first - 1 : last]]
    if python_of("\n".join(row.text for row in rows)).error is not None:
        rows = [Row("") for _ in rows]
    yield from [Row("")] * (first - 1)
    yield from rows
    yield from [Row("")] * (len(lines) - last)


def _example(line: str) -> Row:
    prompt = _PROMPT.match(line)
    return Row(line[prompt.end() :], prompt.end()) if prompt else Row("")

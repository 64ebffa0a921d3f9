"""Findings as a compiler draws them: header, excerpts with labels, reason, assumptions, help."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath

from autograd_lint.findings import Certainty, Finding
from autograd_lint.places import Place
from autograd_lint.report.excerpt import Line, Mark, draw, linked
from autograd_lint.report.notes import notes

Lines = Callable[[str], Sequence[str]]
"""The lines of a file by its name; empty where it cannot be read."""

_INDENT = 4  # of the second line of a headline


def findings(
    found: Sequence[Finding], lines: Lines, width: int = 100, *, observed: bool = False
) -> Iterator[Line]:
    """All findings, with an empty line after each; one that is not certain says so, unless it was
    `observed` in a run."""
    for finding in found:
        sure = observed or finding.certainty is Certainty.CERTAIN
        doubt = "" if sure else f" ({finding.certainty.value})"
        yield from one(finding, lines, width, doubt)
        yield []


def one(finding: Finding, lines: Lines, width: int = 100, doubt: str = "") -> Iterator[Line]:
    """One finding; `doubt` stands behind the name of its rule."""
    gutter = _gutter(finding)
    yield from _header(finding, width, doubt)
    for filename, drawing in excerpts(finding, lines, width):
        sign = "-->" if filename == finding.place.filename else ":::"
        first = next(mark for mark in _marks(finding) if mark.place.filename == filename)
        yield [(" " * gutter, ""), (sign, "gutter"), (f" {shown(first.place)}", "")]
        yield from drawing
    for word, text in notes(finding):
        yield from _note(word, text, gutter, width)


def excerpts(
    finding: Finding, lines: Lines, width: int = 100
) -> Iterator[tuple[str, Iterator[Line]]]:
    """The files that a finding speaks of, its own first, each with the lines that matter."""
    marks, gutter = _marks(finding), _gutter(finding)
    for filename in dict.fromkeys(mark.place.filename for mark in marks):
        here = [mark for mark in marks if mark.place.filename == filename]
        yield filename, _excerpt(here, lines(filename), gutter, width)


def _gutter(finding: Finding) -> int:
    """The width of the row numbers."""
    return len(str(max(mark.place.row for mark in _marks(finding))))


def shown(place: Place) -> str:
    """A place as the user reads it, the file relative to the working directory."""
    return f"{relative(place.filename)}:{place.row}:{place.column}"


def relative(filename: str) -> str:
    """A file's name, relative to the working directory where it can be, free of control codes."""
    try:
        name = str(Path(filename).relative_to(Path.cwd()))
    except ValueError:
        name = filename
    return name if name.isprintable() else name.encode("unicode_escape").decode("ascii")


def portable(filename: str) -> str:
    """The same for other programs: with slashes on every system."""
    return PurePath(relative(filename)).as_posix()


def _header(finding: Finding, width: int, doubt: str) -> Iterator[Line]:
    """The headline, broken between words where it is too long."""
    head = f"{finding.severity.value}[{finding.code}]"
    told = f"{finding.name}{doubt}: {finding.message}"
    first, *others = wrapped(told, width - len(head) - 1)
    yield [(head, linked(finding.severity.value, finding.url)), (f" {first}", "title")]
    indent = " " * _INDENT
    for rest in wrapped(" ".join(others), width - _INDENT) if others else []:
        yield [(indent + rest, "title")]


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of a width, each of its own lines broken between words; never empty."""
    return [
        part
        for line in text.splitlines() or [""]
        for part in textwrap.wrap(
            line, max(width, 20), break_on_hyphens=False, break_long_words=False
        )
        or [""]
    ]


def _marks(finding: Finding) -> list[Mark]:
    primary = Mark(finding.place, finding.label, finding.severity.value, primary=True)
    related = [Mark(other.place, other.message, other.role) for other in finding.related]
    return [primary, *related]


def _excerpt(marks: list[Mark], lines: Sequence[str], gutter: int, width: int) -> Iterator[Line]:
    margin: Line = [(" " * gutter + " |", "gutter")]
    drawn = list(draw(marks, lines, gutter, width - gutter - 3))
    if drawn:
        yield margin
        yield from drawn
    for mark in marks:
        if mark.place.row > len(lines) and mark.label:
            yield [*margin, (f" row {mark.place.row}: {mark.label}", mark.style)]
    yield margin


def _note(word: str, text: str, gutter: int, width: int) -> Iterator[Line]:
    lead = gutter + len(f" = {word}: ")
    first, *others = wrapped(text, width - lead)
    yield [(" " * gutter + " = ", "gutter"), (f"{word}: ", "note"), (first, "")]
    for rest in others:
        yield [(" " * lead + rest, "")] if rest else []

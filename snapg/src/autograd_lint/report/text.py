"""Findings as a compiler draws them: header, excerpts with labels, reason, assumptions, help."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from autograd_lint.findings import Confirmation, Finding
from autograd_lint.places import Place
from autograd_lint.report.excerpt import Line, Mark, draw

Lines = Callable[[str], Sequence[str]]
"""The lines of a file by its name; empty where it cannot be read."""


def findings(found: Sequence[Finding], lines: Lines, width: int = 100) -> Iterator[Line]:
    """All findings, with an empty line after each."""
    for finding in found:
        yield from one(finding, lines, width)
        yield []


def one(finding: Finding, lines: Lines, width: int = 100) -> Iterator[Line]:
    """One finding."""
    marks = _marks(finding)
    gutter = len(str(max(mark.place.row for mark in marks)))
    yield _header(finding)
    for index, filename in enumerate(dict.fromkeys(mark.place.filename for mark in marks)):
        here = [mark for mark in marks if mark.place.filename == filename]
        yield [
            (" " * gutter, ""),
            (":::" if index else "-->", "gutter"),
            (f" {shown(here[0].place)}", ""),
        ]
        yield from _excerpt(here, lines(filename), gutter, width)
    yield from _footer(finding, gutter, width)


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


def _header(finding: Finding) -> Line:
    style = finding.severity.value
    return [
        (f"{finding.severity.value}[{finding.code}]", style),
        (f" {finding.name}: {finding.message}", "title"),
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


def _footer(finding: Finding, gutter: int, width: int) -> Iterator[Line]:
    notes = [("reason", finding.reason)]
    notes += [("assuming", assumption) for assumption in finding.assumptions]
    notes += [("help", finding.help)]
    if finding.confirmation:
        notes.append((finding.confirmation.verdict, _verdict(finding.confirmation)))
    for word, text in notes:
        if text:
            yield from _note(word, text, gutter, width)


def _verdict(confirmation: Confirmation) -> str:
    if confirmation.verdict != "confirmed":
        return confirmation.reason or "no witness decides it"
    engine = f"torch {confirmation.torch} on {confirmation.device}"
    if confirmation.error is None:
        return f"{engine} agrees"
    message = confirmation.error.partition("\n")[0].partition(" Hint: ")[0]
    raised = f" at row {confirmation.row}" if confirmation.row else ""
    return f"{engine} raises{raised}: {message}"


def _note(word: str, text: str, gutter: int, width: int) -> Iterator[Line]:
    lead = gutter + len(f" = {word}: ")
    wrapped = [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, max(width - lead, 20), break_on_hyphens=False) or [""]
    ]
    yield [(" " * gutter + " = ", "gutter"), (f"{word}: ", "note"), (wrapped[0], "")]
    for rest in wrapped[1:]:
        yield [(" " * lead + rest, "")] if rest else []

"""Draws places into the source: the lines that matter, and a label under each place."""

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from autograd_lint.immutable import immutable
from autograd_lint.places import Place

Segment = tuple[str, str]
"""Text and its style: a name, behind which may stand the address that the text leads to."""
Line = list[Segment]

_TAB = 4
_LEAD = 12  # characters kept before the first mark of a line that is cropped
_NARROW = 40  # cells that a label below its mark has at least


def linked(style: str, address: str) -> str:
    """The style of text that leads to an address, where a terminal can follow links."""
    return f"{style} {address}"


@immutable
class Mark:
    """A place to underline, with `^` when primary and `-` else, and the label to hang under it."""

    place: Place
    label: str
    style: str
    primary: bool = False


@immutable
class _Span:
    """A mark on its line, in cells of the terminal."""

    start: int
    end: int
    mark: Mark


def draw(marks: Sequence[Mark], lines: Sequence[str], gutter: int, width: int) -> Iterator[Line]:
    """The excerpt of one file; marks on rows that the file does not have are left out.

    `gutter` is the width of the row numbers, `width` that of the lines of source.
    """
    rows = sorted({mark.place.row for mark in marks if 1 <= mark.place.row <= len(lines)})
    previous = rows[0] if rows else 0
    for row in rows:
        if row - previous == 2:
            yield _numbered(row - 1, gutter, _shown(lines[row - 2], 0, width)[0])
        elif row - previous > 2:
            yield [("...", "gutter")]
        yield from _marked_line(
            row, [m for m in marks if m.place.row == row], lines[row - 1], gutter, width
        )
        previous = row


def _marked_line(row: int, marks: list[Mark], line: str, gutter: int, width: int) -> Iterator[Line]:
    offset = _crop(marks, line, width)
    text, cells = _shown(line, offset, width)
    yield _numbered(row, gutter, text)
    spans = sorted(
        {_span(mark, line, offset, cells) for mark in marks},
        key=lambda s: (s.start, s.end, s.mark.label),
    )
    for hanging in _under(spans, width):
        yield [*_margin(gutter), *hanging]


def _span(mark: Mark, line: str, offset: int, cells: list[int]) -> _Span:
    place = mark.place
    last = len(line.rstrip()) if place.end_row != place.row else place.end_column - 1
    start = cells[_clamp(place.column - 1 - offset, len(cells))]
    end = cells[_clamp(last - offset, len(cells))]
    return _Span(start, max(end, start + 1), mark)


def _clamp(index: int, length: int) -> int:
    return min(max(index, 0), length - 1)


def _crop(marks: list[Mark], line: str, width: int) -> int:
    """How many characters to leave out at the start so that the marks can be seen."""
    if sum(map(_cell_width, line)) <= width:
        return 0
    ends = [len(line) if m.place.end_row != m.place.row else m.place.end_column for m in marks]
    first = min(mark.place.column for mark in marks) - 1
    return 0 if max(ends) <= width - 1 else max(first - _LEAD, 0)


def _shown(line: str, offset: int, width: int) -> tuple[str, list[int]]:
    """The part of a line that fits, as printed, and the cell at which each character starts."""
    text = "…" if offset else ""
    cells: list[int] = []
    used = len(text)
    for character in line[offset:]:
        cells.append(used)
        wide = _TAB - used % _TAB if character == "\t" else _cell_width(character)
        if used + wide > width:
            return text + "…", cells
        text += " " * wide if character == "\t" else _printable(character)
        used += wide
    return text.rstrip(), [*cells, used]


def _printable(character: str) -> str:
    return "\ufffd" if unicodedata.category(character) in ("Cc", "Cs") else character


def _cell_width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _under(spans: list[_Span], width: int) -> Iterator[Line]:
    """The rows below a line: the underlines, the label of the last one beside it where it fits,
    others below."""
    last = spans[-1]
    has_room = last.end + 1 + len(last.mark.label) <= width
    beside = last if has_room and all(one.end <= last.start for one in spans[:-1]) else None
    underline = _underline(spans)
    if beside and beside.mark.label:
        underline.append((" " + beside.mark.label, beside.mark.style))
    yield underline
    hanging = [span for span in spans if span is not beside and span.mark.label]
    if hanging and len(spans) > 1:
        yield _bars(hanging)
    while hanging:
        span = hanging.pop()
        start = min(span.start, max(width - _NARROW, 0))
        bars = _bars([other for other in hanging if other.start < start])
        used = sum(len(text) for text, _ in bars)
        for part in textwrap.wrap(span.mark.label, max(width - start, _NARROW)):
            yield [*bars, (" " * (start - used), ""), (part, span.mark.style)]


def _underline(spans: list[_Span]) -> Line:
    canvas: list[Segment] = [(" ", "")] * max(span.end for span in spans)
    for span in sorted(spans, key=lambda one: one.mark.primary):
        sign = "^" if span.mark.primary else "-"
        canvas[span.start : span.end] = [(sign, span.mark.style)] * (span.end - span.start)
    return _merged(canvas)


def _bars(spans: list[_Span]) -> Line:
    if not spans:
        return []
    canvas: list[Segment] = [(" ", "")] * (max(span.start for span in spans) + 1)
    for span in spans:
        canvas[span.start] = ("|", span.mark.style)
    return _merged(canvas)


def _merged(canvas: list[Segment]) -> Line:
    merged: Line = []
    for text, style in canvas:
        if merged and merged[-1][1] == style:
            merged[-1] = (merged[-1][0] + text, style)
        else:
            merged.append((text, style))
    return merged


def _numbered(row: int, gutter: int, text: str) -> Line:
    if not text:
        return [(f"{row:>{gutter}} |", "gutter")]
    return [(f"{row:>{gutter}} | ", "gutter"), (text, "")]


def _margin(gutter: int) -> Line:
    return [(" " * gutter + " | ", "gutter")]

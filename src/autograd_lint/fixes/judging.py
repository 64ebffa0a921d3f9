"""Whether fixes did what they are for, by what is found before and after them."""

from collections.abc import Iterator, Sequence

from autograd_lint.findings import Edit, Finding, Severity
from autograd_lint.fixes.cells import Cells
from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place
from autograd_lint.project.cells import cell_of, file_of

Key = tuple[str, str, str]
"""A finding as it is known from round to round: code, message, text of its line."""

Row = tuple[int, int]
"""The number of a cell, 0 in a file, and a row in it."""


def key(document: Document | Cells, finding: Finding) -> Key:
    """What `finding` is known by while rows move."""
    lines = document.lines(finding.place.filename)
    row = finding.place.row
    return finding.code, finding.message, lines[row - 1].strip() if row <= len(lines) else ""


def edits_of(finding: Finding) -> Iterator[Edit]:
    """The edits of a finding's fix."""
    yield from finding.fix.edits if finding.fix else ()


def remaining(
    document: Document | Cells,
    edits: Sequence[Edit],
    fixed: Sequence[Finding],
    after: Sequence[Finding],
) -> bool:
    """Whether a finding that was fixed in `document` by `edits` is still there."""
    places = {(one.code, _start(document.moved(one.place, edits))) for one in fixed}
    return any((one.code, _start(one.place)) in places for one in after)


def consequences(
    document: Document | Cells,
    edits: Sequence[Edit],
    fixed: Sequence[Finding],
    before: Sequence[Finding],
    after: Sequence[Finding],
) -> list[Finding]:
    """The findings that fixes have led to.

    What stands behind the line at which the program would have stopped before is none of them: it
    has come to light because the program goes on. What is told for information does not speak
    against a fix.
    """
    known = {(one.code, document.moved(one.place, edits)) for one in before}
    told = (one for one in after if one.severity is not Severity.INFO)
    new = [one for one in told if (one.code, one.place) not in known]
    stops = [_stop(document, edits, one) for one in fixed]
    edited = [document.moved(edit.place, edits) for edit in edits]
    return [
        one
        for one in new
        if not all(stop is not None and stop < min(_rows(one)) for stop in stops)
        or any(_within(one.place, place) for place in edited)
    ]


def _stop(document: Document | Cells, edits: Sequence[Edit], finding: Finding) -> Row | None:
    """Where a program with an error would have stopped, as the lines are after the edits."""
    raising = _raising(finding)
    return _row(document.moved(raising, edits)) if raising is not None else None


def _rows(finding: Finding) -> list[Row]:
    raising = _raising(finding)
    return [_row(finding.place), *([_row(raising)] if raising is not None else [])]


def _raising(finding: Finding) -> Place | None:
    """The line at which the engine raises, if it is in the file that was read."""
    predicts = finding.predicts
    if predicts is None or predicts.filename is None or predicts.row is None:
        return None
    if file_of(predicts.filename) != file_of(finding.place.filename):
        return None
    return Place(predicts.filename, predicts.row, 1, predicts.row, 1)


def _row(place: Place) -> Row:
    return cell_of(place.filename) or 0, place.row


def _within(place: Place, edited: Place) -> bool:
    return place.filename == edited.filename and edited.row <= place.row <= edited.end_row


def _start(place: Place) -> tuple[str, int, int]:
    return place.filename, place.row, place.column

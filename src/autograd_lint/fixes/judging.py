"""Whether fixes did what they are for, by what is found before and after them."""

from collections.abc import Iterator, Sequence

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes.cells import Cells
from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place

Key = tuple[str, str, str]
"""A finding as it is known from round to round: code, message, text of its line."""


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
    before: Sequence[Finding],
    after: Sequence[Finding],
) -> list[Finding]:
    """The findings that edits have led to, or brought to light: none of them was there before."""
    known = {(one.code, document.moved(one.place, edits)) for one in before}
    return [one for one in after if (one.code, one.place) not in known]


def _start(place: Place) -> tuple[str, int, int]:
    return place.filename, place.row, place.column

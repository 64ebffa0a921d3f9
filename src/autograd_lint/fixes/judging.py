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


def faults(
    document: Document | Cells,
    edits: Sequence[Edit],
    fixed: Sequence[Finding],
    before: Sequence[Finding],
    after: Sequence[Finding],
    unsafe: bool,
) -> list[Finding]:
    """The findings in `after` that say that a fix was none.

    These are: the same finding at the same place; an error at the very line at which the program
    would have raised before; an error in a program that raised nothing; anything new on the edited
    lines. All but the first are let pass where a fix follows for them.
    """
    known = {(one.code, document.moved(one.place, edits)) for one in before if one not in fixed}
    new = [one for one in after if (one.code, one.place) not in known]
    return [one for one in new if any(_denied(document, edits, fix, one, unsafe) for fix in fixed)]


def _denied(
    document: Document | Cells, edits: Sequence[Edit], fixed: Finding, new: Finding, unsafe: bool
) -> bool:
    if new.code == fixed.code and _start(new.place) == _start(document.moved(fixed.place, edits)):
        return True
    fix = new.fix
    if fix is not None and (fix.applicability == "safe" or unsafe):
        return False
    if fixed.predicts is None and new.predicts is not None:
        return True
    raised, raises = _raising(fixed), _raising(new)
    if raised and raises and _row(document.moved(raised, edits)) == _row(raises):
        return True
    own = [document.moved(edit.place, edits) for edit in _edits(fixed)]
    return any(_within(new.place, place) for place in own)


def _edits(finding: Finding) -> Iterator[Edit]:
    yield from finding.fix.edits if finding.fix else ()


def _raising(finding: Finding) -> Place | None:
    """The line at which the engine raises, if it is in a file that was read."""
    predicts = finding.predicts
    if predicts is None or predicts.filename is None or predicts.row is None:
        return None
    if predicts.filename != finding.place.filename:
        return None
    return Place(predicts.filename, predicts.row, 1, predicts.row, 1)


def _start(place: Place) -> tuple[str, int, int]:
    return place.filename, place.row, place.column


def _row(place: Place) -> tuple[str, int]:
    return place.filename, place.row


def _within(place: Place, edited: Place) -> bool:
    return place.filename == edited.filename and edited.row <= place.row <= edited.end_row

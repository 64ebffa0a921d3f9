"""Fixes applied to one file, until there is nothing left to fix."""

import ast
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes import judging
from autograd_lint.fixes.cells import Cells
from autograd_lint.fixes.editing import Document
from autograd_lint.project import cells, reading

_MOST_ROUNDS = 50

Recheck = Callable[[bytes], Sequence[Finding]]
"""The findings in the new bytes of the file."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file after its fixes, and how many findings they mended."""

    data: bytes
    count: int


def document_of(data: bytes, filename: str) -> Document | Cells:
    """The file to edit; raises as reading it does."""
    return Cells.of(data, filename) if cells.is_notebook(filename) else Document.of(data)


def apply(
    data: bytes, filename: str, found: Sequence[Finding], recheck: Recheck, unsafe: bool
) -> Fixed:
    """Apply the fixes of `found`, and of what is found after that.

    Fixes that overlap wait for the next round. A fix after which the file would not parse, or that
    does not mend what it is for (see `judging`), is not applied.
    """
    document = document_of(data, filename)
    refused: set[judging.Key] = set()
    count, together = 0, True
    for _ in range(_MOST_ROUNDS):
        wanted = list(_compatible(document, filename, found, unsafe, refused))
        wanted = wanted if together else wanted[:1]
        if not wanted:
            break
        edits = [edit for finding in wanted for edit in _edits(finding)]
        changed = document.edited(edits)
        after = recheck(changed.encoded()) if _parses(changed, filename) else None
        if after is not None and not judging.faults(document, edits, wanted, found, after, unsafe):
            document, found, count = changed, after, count + len(wanted)
        elif len(wanted) == 1:
            refused.add(judging.key(document, wanted[0]))
        else:
            together = False
    return Fixed(document.encoded(), count)


def applicable(finding: Finding, unsafe: bool) -> bool:
    """Whether the fix of a finding may be applied: it is safe, or unsafe ones are wanted."""
    fix = finding.fix
    return fix is not None and (
        fix.applicability == "safe" or (unsafe and fix.applicability == "unsafe")
    )


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix else ()


def _compatible(
    document: Document | Cells,
    filename: str,
    found: Sequence[Finding],
    unsafe: bool,
    refused: set[judging.Key],
) -> Iterator[Finding]:
    taken: list[Edit] = []
    for finding in found:
        edits = _edits(finding) if applicable(finding, unsafe) else ()
        if not edits or judging.key(document, finding) in refused:
            continue
        if any(cells.file_of(edit.place.filename) != filename for edit in edits):
            continue
        if not document.overlap(edits, taken):
            taken.extend(edits)
            yield finding


def _parses(document: Document | Cells, filename: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            document.encoded()
            ast.parse(document.python(), filename)
        except reading.UNREADABLE:
            return False
    return True

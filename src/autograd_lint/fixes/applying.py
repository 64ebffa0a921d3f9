"""Fixes applied to one file, until there is nothing left to fix."""

import ast
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes.editing import Document
from autograd_lint.project import reading

_MOST_ROUNDS = 10

Recheck = Callable[[bytes], Sequence[Finding]]
"""The findings in the new bytes of the file."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file after its fixes, and how many findings they mended."""

    data: bytes
    count: int


def apply(
    data: bytes, filename: str, found: Sequence[Finding], recheck: Recheck, unsafe: bool
) -> Fixed:
    """Apply the fixes of `found`, and of what is found after that.

    Fixes that overlap wait for the next round. A round whose result would not parse is dropped.
    """
    count = 0
    for _ in range(_MOST_ROUNDS):
        document = Document.of(data)
        fixes = list(_compatible(document, filename, found, unsafe))
        if not fixes:
            break
        changed = document.edited(edit for edits in fixes for edit in edits)
        if not _parses(changed, filename):
            break
        data, count = changed.encoded(), count + len(fixes)
        found = recheck(data)
    return Fixed(data, count)


def applicable(finding: Finding, unsafe: bool) -> bool:
    """Whether the fix of a finding may be applied: it is safe, or unsafe ones are wanted."""
    fix = finding.fix
    return fix is not None and (
        fix.applicability == "safe" or (unsafe and fix.applicability == "unsafe")
    )


def _compatible(
    document: Document, filename: str, found: Sequence[Finding], unsafe: bool
) -> Iterator[tuple[Edit, ...]]:
    taken: list[Edit] = []
    for finding in found:
        edits = finding.fix.edits if finding.fix and applicable(finding, unsafe) else ()
        if not edits or any(edit.place.filename != filename for edit in edits):
            continue
        if not document.overlap(edits, taken):
            taken.extend(edits)
            yield edits


def _parses(document: Document, filename: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            document.encoded()
            ast.parse(document.text, filename)
        except reading.UNREADABLE:
            return False
    return True

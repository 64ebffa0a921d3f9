"""`# noqa` comments for the findings of a file."""

import re
from collections import defaultdict
from collections.abc import Sequence

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes.cells import Cells
from autograd_lint.fixes.editing import Document
from autograd_lint.fixes.mending import document_of
from autograd_lint.places import Place
from autograd_lint.selection import PARSE_ERROR, UNUSED_SUPPRESSION

_NOT_SILENCED = (PARSE_ERROR, UNUSED_SUPPRESSION)
_CODES = re.compile(r"#\s*noqa\s*:\s*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*", re.IGNORECASE)


def add_noqa(
    data: bytes, filename: str, found: Sequence[Finding], reason: str = ""
) -> tuple[bytes, int]:
    """The file with a `# noqa` for each finding, and how many lines were given one.

    Codes join those of a `# noqa` that is there already; the reason becomes a comment behind it.
    """
    if all(finding.code in _NOT_SILENCED for finding in found):
        return data, 0
    document = document_of(data, filename)
    edits = noqa_edits(document, found, reason)
    return document.edited(edits).encoded(), len(edits)


def noqa_edits(
    document: Document | Cells, found: Sequence[Finding], reason: str = ""
) -> list[Edit]:
    """The edits that give each finding its `# noqa`, one for each line."""
    codes: dict[tuple[str, int], set[str]] = defaultdict(set)
    for finding in found:
        if finding.code not in _NOT_SILENCED:
            codes[finding.place.filename, finding.noqa_row].add(finding.code)
    return [
        _edit(document.lines(name)[row - 1], name, row, ", ".join(sorted(wanted)), reason)
        for (name, row), wanted in codes.items()
    ]


def _edit(line: str, name: str, row: int, codes: str, reason: str) -> Edit:
    existing = _CODES.search(line)
    because = f"  # {' '.join(reason.split())}" if reason.strip() else ""
    if existing:
        has_reason = bool(line[existing.end() :].strip())
        text = f", {codes}" + ("" if has_reason else because)
        return _insertion(name, row, existing.end() + 1, text)
    return _insertion(name, row, len(line.rstrip()) + 1, f"  # noqa: {codes}{because}")


def _insertion(name: str, row: int, column: int, text: str) -> Edit:
    return Edit(text, Place(name, row, column, row, column))

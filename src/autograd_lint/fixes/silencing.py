"""Comments that silence the findings of a file.

What is written is `# autograd-lint: ignore[AG103]`: other linters take codes that they do not know
in a `# noqa` for a mistake, and some take the comment away.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from autograd_lint.configuration.selection import PARSE_ERROR, UNUSED_SUPPRESSION
from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes.cells import Cells
from autograd_lint.fixes.editing import Document
from autograd_lint.fixes.mending import document_of
from autograd_lint.places import Place

_NOT_SILENCED = (PARSE_ERROR, UNUSED_SUPPRESSION)
_CODES = re.compile(r"#\s*autograd-lint:\s*ignore\[[^\]]*[^\]\s](?=\s*\])")


def add_comments(
    data: bytes, filename: str, found: Sequence[Finding], reason: str = ""
) -> tuple[bytes, int]:
    """The file with a comment that silences each finding, and how many lines were given one.

    Codes join those of such a comment that is there already; the reason stands behind it.
    """
    if all(finding.code in _NOT_SILENCED for finding in found):
        return data, 0
    document = document_of(data, filename)
    edits = silencing_edits(document, found, reason)
    return document.edited(edits).encoded(), len(edits)


def silencing_edits(
    document: Document | Cells, found: Sequence[Finding], reason: str = ""
) -> list[Edit]:
    """The edits that give each finding its comment, one for each line."""
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
    if existing:
        return _insertion(name, row, existing.end() + 1, f", {codes}")
    because = f"  # {' '.join(reason.split())}" if reason.strip() else ""
    comment = f"  # autograd-lint: ignore[{codes}]{because}"
    return _insertion(name, row, len(line.rstrip()) + 1, comment)


def _insertion(name: str, row: int, column: int, text: str) -> Edit:
    return Edit(text, Place(name, row, column, row, column))

"""`# noqa` comments for the findings of a file."""

import re
from collections import defaultdict
from collections.abc import Sequence

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place
from autograd_lint.selection import PARSE_ERROR

_CODES = re.compile(r"#\s*noqa\s*:\s*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*", re.IGNORECASE)


def add_noqa(data: bytes, found: Sequence[Finding]) -> tuple[bytes, int]:
    """The file with a `# noqa` for each finding, and how many lines were given one.

    Codes join those of a `# noqa` that is there already.
    """
    if all(finding.code == PARSE_ERROR for finding in found):
        return data, 0
    document = Document.of(data)
    edits = noqa_edits(document, found)
    return document.edited(edits).encoded(), len(edits)


def noqa_edits(document: Document, found: Sequence[Finding]) -> list[Edit]:
    """The edits that give each finding its `# noqa`, one for each line."""
    codes: dict[int, set[str]] = defaultdict(set)
    for finding in found:
        if finding.code != PARSE_ERROR:
            codes[finding.noqa_row].add(finding.code)
    return [_edit(document, row, sorted(codes[row])) for row in codes]


def _edit(document: Document, row: int, codes: list[str]) -> Edit:
    start, end = document.offset(row, 1), document.line_end(row)
    line = document.text[start:end]
    existing = _CODES.search(line)
    if existing:
        return _insertion(row, existing.end() + 1, f", {', '.join(codes)}")
    return _insertion(row, len(line.rstrip()) + 1, f"  # noqa: {', '.join(codes)}")


def _insertion(row: int, column: int, text: str) -> Edit:
    return Edit(text, Place("", row, column, row, column))

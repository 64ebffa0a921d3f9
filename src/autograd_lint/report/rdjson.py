"""Findings as reviewdog's diagnostic format."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograd_lint.findings import Edit, Finding, Fix
from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place
from autograd_lint.report.notes import in_full
from autograd_lint.report.text import Lines, portable


def findings(found: Sequence[Finding], lines: Lines) -> str:
    """All findings as the text of one JSON object (reviewdog: proto/rdf)."""
    diagnostics = [_Diagnostic(finding, lines).record() for finding in found]
    document = {"source": {"name": "autograd-lint"}, "diagnostics": diagnostics}
    return json.dumps(document, indent=2, ensure_ascii=False)


@dataclass(frozen=True)
class _Diagnostic:
    """One finding; its columns count bytes of UTF-8, as reviewdog does."""

    finding: Finding
    lines: Lines

    def record(self) -> dict[str, Any]:
        finding = self.finding
        diagnostic: dict[str, Any] = {
            "message": in_full(finding),
            "location": self._location(finding.place),
            "severity": finding.severity.name,
            "code": {"value": finding.code, "url": finding.url},
        }
        if finding.related:
            diagnostic["related_locations"] = [
                {"message": other.message, "location": self._location(other.place)}
                for other in finding.related
            ]
        if finding.fix:
            diagnostic["suggestions"] = self._suggestions(finding.fix)
        return diagnostic

    def _suggestions(self, fix: Fix) -> list[dict[str, Any]]:
        """The fix as one suggestion: of several each would be offered by itself."""
        name = self.finding.place.filename
        # A suggestion has no path of its own: edits of other files cannot be said.
        if any(edit.place.filename != name for edit in fix.edits):
            return []
        place, text = _joined(fix.edits, Document("\n".join(self.lines(name))))
        return [{"range": self._range(place), "text": text}]

    def _location(self, place: Place) -> dict[str, Any]:
        return {"path": portable(place.filename), "range": self._range(place)}

    def _range(self, place: Place) -> dict[str, dict[str, int]]:
        name = place.filename
        return {
            "start": {"line": place.row, "column": self._column(name, place.row, place.column)},
            "end": {
                "line": place.end_row,
                "column": self._column(name, place.end_row, place.end_column),
            },
        }

    def _column(self, name: str, row: int, column: int) -> int:
        lines = self.lines(name)
        before = lines[row - 1][: column - 1] if row <= len(lines) else ""
        wider = len(before.encode("utf-8", "surrogatepass")) - len(before)
        return column + wider


def _joined(edits: Sequence[Edit], document: Document) -> tuple[Place, str]:
    """Several edits as one, with the text between them."""
    first = min((edit.place for edit in edits), key=lambda place: (place.row, place.column))
    last = max((edit.place for edit in edits), key=lambda place: (place.end_row, place.end_column))
    start = document.offset(first.row, first.column)
    after = len(document.text) - document.offset(last.end_row, last.end_column)
    changed = document.edited(edits).text
    whole = replace(first, end_row=last.end_row, end_column=last.end_column)
    return whole, changed[start : len(changed) - after]

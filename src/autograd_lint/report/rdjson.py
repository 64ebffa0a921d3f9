"""Findings as reviewdog's diagnostic format."""

import json
from collections.abc import Sequence
from typing import Any

from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.report.text import relative


def findings(found: Sequence[Finding]) -> str:
    """All findings as the text of one JSON object (reviewdog: proto/rdf)."""
    document = {
        "source": {"name": "autograd-lint"},
        "diagnostics": [_diagnostic(finding) for finding in found],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _diagnostic(finding: Finding) -> dict[str, Any]:
    diagnostic: dict[str, Any] = {
        "message": finding.message,
        "location": {"path": relative(finding.place.filename), "range": _range(finding.place)},
        "severity": finding.severity.name,
        "code": {"value": finding.code},
    }
    if finding.related:
        diagnostic["relatedLocations"] = [
            {
                "message": other.message,
                "location": {
                    "path": relative(other.place.filename),
                    "range": _range(other.place),
                },
            }
            for other in finding.related
        ]
    if finding.fix:
        diagnostic["suggestions"] = _suggestions(finding.fix, finding.place.filename)
    return diagnostic


def _suggestions(fix: Fix, filename: str) -> list[dict[str, Any]]:
    # A suggestion has no path of its own: edits of other files cannot be said.
    if any(edit.place.filename != filename for edit in fix.edits):
        return []
    return [{"range": _range(edit.place), "text": edit.content} for edit in fix.edits]


def _range(place: Place) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": place.row, "column": place.column},
        "end": {"line": place.end_row, "column": place.end_column},
    }

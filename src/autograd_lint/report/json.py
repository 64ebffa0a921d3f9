"""Findings for other programs: one JSON array, whose first ten fields are those of ruff."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from autograd_lint.findings import Assumed, Edit, Finding, Fix, Related
from autograd_lint.places import Place
from autograd_lint.project.cells import cell_of, file_of


def findings(found: Sequence[Finding]) -> str:
    """All findings as the text of one JSON array."""
    return json.dumps([record(finding) for finding in found], indent=2, ensure_ascii=False)


def record(finding: Finding) -> dict[str, Any]:
    """One finding as the object that stands for it."""
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": file_of(finding.place.filename),
        **_range(finding.place),
        "cell": finding.cell,
        "url": finding.url,
        "noqa_row": finding.noqa_row or finding.place.row,
        "fix": _fix(finding.fix) if finding.fix else None,
        "severity": finding.severity.value,
        "certainty": finding.certainty.value,
        "probability": round(finding.probability, 2),
        "assumptions": list(map(_assumed, finding.assumptions)),
        "signals": list(finding.signals),
        "reason": finding.reason,
        "help": finding.help,
        "related": [_related(other) for other in finding.related],
        "predicts": _prediction(finding),
        "confirmation": asdict(finding.confirmation) if finding.confirmation else None,
    }


def _range(place: Place) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": place.row, "column": place.column},
        "end_location": {"row": place.end_row, "column": place.end_column},
    }


def _assumed(one: Assumed) -> dict[str, Any]:
    return {"kind": one.kind, "text": one.text, "probability": round(one.probability, 2)}


def _related(other: Related) -> dict[str, Any]:
    name = other.place.filename
    head = {"role": other.role, "message": other.message, "filename": file_of(name)}
    return {**head, **_range(other.place), "cell": cell_of(name)}


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [_edit(edit) for edit in fix.edits]
    return {"applicability": fix.applicability, "message": fix.message, "edits": edits}


def _edit(edit: Edit) -> dict[str, Any]:
    return {"content": edit.content, **_range(edit.place), "cell": cell_of(edit.place.filename)}


def _prediction(finding: Finding) -> dict[str, Any] | None:
    predicted = finding.predicts
    if predicted is None:
        return None
    name = predicted.filename and file_of(predicted.filename)
    return {"error": predicted.error, "filename": name, "row": predicted.row}

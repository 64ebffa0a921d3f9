"""Findings as SARIF 2.1.0, with the way from saving to failing as a code flow."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import autograd_lint
from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.report.flow import steps

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RANKS = {"certain": 95.0, "likely": 70.0, "possible": 40.0}


def findings(found: Sequence[Finding], summaries: dict[str, str]) -> str:
    """All findings as the text of a SARIF log; `summaries` has a line about each rule, by code."""
    run = {
        "tool": {"driver": _driver(found, summaries)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": _uri(Path.cwd()) + "/"}},
        "results": [_result(finding) for finding in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _driver(found: Sequence[Finding], summaries: dict[str, str]) -> dict[str, Any]:
    names = {finding.code: finding.name for finding in found}
    rules = [
        {
            "id": code,
            "name": name,
            "shortDescription": {"text": summaries.get(code, name)},
            "fullDescription": {"text": summaries.get(code, name)},
            "help": {"text": f"autograd-lint explain {code}"},
        }
        for code, name in sorted(names.items())
    ]
    return {"name": "autograd-lint", "version": autograd_lint.__version__, "rules": rules}


def _result(finding: Finding) -> dict[str, Any]:
    result = {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "rank": _RANKS[finding.certainty.value],
        "message": {"text": finding.message},
        "locations": [_location(finding.place)],
        "properties": {
            "certainty": finding.certainty.value,
            "assumptions": list(finding.assumptions),
        },
    }
    if finding.related:
        result["relatedLocations"] = [
            _location(other.place, other.message) for other in finding.related
        ]
        result["codeFlows"] = [_flow(finding)]
    if finding.fix:
        result["fixes"] = [_fix(finding.fix)]
    return result


def _flow(finding: Finding) -> dict[str, Any]:
    locations = [{"location": _location(step.place, step.message)} for step in steps(finding)]
    return {"threadFlows": [{"locations": locations}]}


def _location(place: Place, message: str = "") -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": _artifact(place.filename),
            "region": _region(place),
        }
    }
    if message:
        location["message"] = {"text": message}
    return location


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.row,
        "startColumn": place.column,
        "endLine": place.end_row,
        "endColumn": place.end_column,
    }


def _artifact(filename: str) -> dict[str, str]:
    path = Path(filename)
    if path.is_relative_to(Path.cwd()):
        return {"uri": quote(path.relative_to(Path.cwd()).as_posix()), "uriBaseId": "SRCROOT"}
    return {"uri": _uri(path) if path.is_absolute() else quote(path.as_posix())}


def _uri(path: Path) -> str:
    return path.as_uri()


def _fix(fix: Fix) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {
            "deletedRegion": _region(edit.place),
            "insertedContent": {"text": edit.content},
        }
        changes.setdefault(edit.place.filename, []).append(replacement)
    return {
        "description": {"text": fix.message},
        "artifactChanges": [
            {"artifactLocation": _artifact(name), "replacements": replacements}
            for name, replacements in changes.items()
        ],
    }

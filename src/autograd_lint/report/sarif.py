"""Findings as SARIF 2.1.0, with the way from saving to failing as a code flow.

GitHub takes at most 25,000 results of a run and 20 tags of a rule (docs.github.com: SARIF support
for code scanning); the least certain findings beyond that are left out, and counted.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autograd_lint import addresses
from autograd_lint.findings import Certainty, Finding, Fix, Severity
from autograd_lint.places import Place
from autograd_lint.report import fingerprints
from autograd_lint.report.described import Described
from autograd_lint.report.flow import steps
from autograd_lint.report.notes import in_full
from autograd_lint.report.text import Lines

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RANKS = {"certain": 95.0, "likely": 70.0, "possible": 40.0}
_PRECISIONS = ((0.9, "very-high"), (0.8, "high"), (0.6, "medium"), (0.0, "low"))
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "recommendation",
}
_MOST_RESULTS = 25_000


def findings(found: Sequence[Finding], rules: Sequence[Described], lines: Lines) -> str:
    """All findings as the text of a SARIF log; `rules` are all that there are."""
    shown = _most_certain(found)
    prints = _Prints(lines)
    order = {rule.code: index for index, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {"driver": _driver(rules)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": _uri(Path.cwd()) + "/"}},
        "invocations": [_invocation(len(found) - len(shown))],
        "results": [_result(finding, order, prints) for finding in shown],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _most_certain(found: Sequence[Finding]) -> Sequence[Finding]:
    if len(found) <= _MOST_RESULTS:
        return found
    ranks = list(Certainty)
    kept = sorted(range(len(found)), key=lambda index: ranks.index(found[index].certainty))
    return [found[index] for index in sorted(kept[:_MOST_RESULTS])]


def _invocation(left_out: int) -> dict[str, Any]:
    if not left_out:
        return {"executionSuccessful": True}
    text = f"{left_out} findings are left out: a run holds {_MOST_RESULTS} results at most."
    notification = {"level": "warning", "message": {"text": text}}
    return {"executionSuccessful": True, "toolExecutionNotifications": [notification]}


def _driver(rules: Sequence[Described]) -> dict[str, Any]:
    return {
        "name": "autograd-lint",
        "semanticVersion": addresses.VERSION,
        "informationUri": addresses.DOCUMENTATION,
        "rules": [_rule(rule) for rule in rules],
    }


def _rule(rule: Described) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _what(rule) or rule.summary},
        "helpUri": addresses.of_rule(rule.name),
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["autograd", "pytorch"],
            "problem.severity": _PROBLEMS[rule.severity],
            **_precision(rule),
        },
    }


def _precision(rule: Described) -> dict[str, str]:
    """How precise a rule is in the words of GitHub, by the findings that were read."""
    share = rule.share_right
    if share is None:
        return {}
    return {"precision": next(word for least, word in _PRECISIONS if share >= least)}


def _what(rule: Described) -> str:
    """The section of the page on what the rule does, as one paragraph."""
    section = rule.page.partition("## What it does")[2].partition("\n## ")[0]
    return " ".join(section.split())


class _Prints:
    """The fingerprints of lines, of each file once."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._known: dict[str, list[str]] = {}

    def of(self, place: Place) -> dict[str, str]:
        """The fingerprints of a finding; none where its file cannot be read any more."""
        name = place.filename
        if name not in self._known:
            self._known[name] = fingerprints.of_lines("\n".join(self._lines(name)))
        known = self._known[name]
        if place.row > len(known):
            return {}
        return {"primaryLocationLineHash": known[place.row - 1]}


def _result(finding: Finding, order: dict[str, int], prints: _Prints) -> dict[str, Any]:
    result = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "rank": _RANKS[finding.certainty.value],
        "message": {"text": in_full(finding)},
        "locations": [_location(finding.place)],
        "partialFingerprints": prints.of(finding.place),
        "properties": {
            "certainty": finding.certainty.value,
            "probability": round(finding.probability, 2),
            "assumptions": [one.text for one in finding.assumptions],
        },
    }
    if finding.code in order:
        result["ruleIndex"] = order[finding.code]
    if finding.related:
        result["relatedLocations"] = list(_related(finding))
        result["codeFlows"] = [_flow(finding)]
    if finding.fix and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix)]
    return result


def _related(finding: Finding) -> Iterator[dict[str, Any]]:
    for number, other in enumerate(finding.related):
        yield {"id": number, **_location(other.place, other.message)}


def _flow(finding: Finding) -> dict[str, Any]:
    locations = [
        {"location": _location(step.place, step.message), "executionOrder": number}
        for number, step in enumerate(steps(finding), 1)
    ]
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
        return {"uri": _quoted(path.relative_to(Path.cwd())), "uriBaseId": "SRCROOT"}
    return {"uri": _uri(path) if path.is_absolute() else _quoted(path)}


def _quoted(path: Path) -> str:
    return quote(os.fsencode(path.as_posix()))  # a name need not be text


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

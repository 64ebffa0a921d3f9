"""Findings as a GitLab code quality report."""

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from autograd_lint.findings import Finding, Severity
from autograd_lint.report.notes import in_full
from autograd_lint.report.text import portable

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def findings(found: Sequence[Finding]) -> str:
    """All findings as the text of one JSON array (docs.gitlab.com: code quality)."""
    seen: Counter[str] = Counter()
    records = []
    for finding in found:
        name = portable(finding.place.filename)
        fingerprint = _fingerprint(name, finding, seen)
        records.append(
            {
                "description": _description(finding),
                "check_name": finding.code,
                "fingerprint": fingerprint,
                "severity": _SEVERITIES[finding.severity],
                "location": {"path": name, "lines": _rows(finding)},
            }
        )
    return json.dumps(records, indent=2, ensure_ascii=False)


def _description(finding: Finding) -> str:
    """What the merge request shows, in one line."""
    return "; ".join([*in_full(finding).splitlines(), finding.url])


def _rows(finding: Finding) -> dict[str, int]:
    return {"begin": finding.place.row, "end": finding.place.end_row}


def _fingerprint(name: str, finding: Finding, seen: Counter[str]) -> str:
    # Without the row, so that a finding stays the same when lines move; counted, for GitLab shows
    # only the first of several with one fingerprint.
    key = f"{name}:{finding.code}:{finding.message}"
    seen[key] += 1
    return sha256(f"{key}:{seen[key]}".encode(errors="backslashreplace")).hexdigest()

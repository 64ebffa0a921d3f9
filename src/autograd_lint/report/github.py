"""Findings as GitHub workflow commands, which annotate the lines of a pull request."""

from collections.abc import Iterator, Sequence

from autograd_lint.findings import Finding, Severity
from autograd_lint.report.notes import in_full
from autograd_lint.report.text import portable

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def findings(found: Sequence[Finding]) -> str:
    """A line a finding, each one a command (docs.github.com: workflow commands)."""
    return "\n".join(_commands(found))


def _commands(found: Sequence[Finding]) -> Iterator[str]:
    for finding in found:
        place = finding.place
        properties = {
            "title": f"autograd-lint ({finding.code})",
            "file": portable(place.filename),
            "line": str(place.row),
            "endLine": str(place.end_row),
        }
        if place.row == place.end_row:  # GitHub takes columns within one line only
            properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
        given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        yield f"::{_COMMANDS[finding.severity]} {given}::{_data(_message(finding))}"


def _message(finding: Finding) -> str:
    return f"{in_full(finding)}\n{finding.url}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""Findings as diagnostics: the other places as related information, certainty in words."""

from collections.abc import Callable, Sequence

from lsprotocol import types
from pygls.uris import from_fs_path
from pygls.workspace import PositionCodec

from autograd_lint.configuration.selection import UNUSED_SUPPRESSION
from autograd_lint.findings import Certainty, Finding, Related, Severity
from autograd_lint.places import Place
from autograd_lint.project.cells import file_of
from autograd_lint.report.notes import in_full
from autograd_lint.server.checking import Result
from autograd_lint.server.columns import range_of

SOURCE = "autograd-lint"
"""The name that diagnostics carry."""

_HELD = "found before the syntax error"

Uri = Callable[[str], str]
"""What the editor calls a file or cell, by the name that findings have for it."""


def uri_in(result: Result) -> Uri:
    """The URIs of what a result speaks of: the editor's own for what is open there."""

    def uri(name: str) -> str:
        part = result.program.named(name)
        return part.uri if part else from_fs_path(file_of(name)) or name

    return uri


def by_uri(result: Result, codec: PositionCodec) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of a result, by document; every part of its program has an entry."""
    uri = uri_in(result)
    grouped: dict[str, list[types.Diagnostic]] = {part.uri: [] for part in result.program.parts}
    for finding in result.findings:
        at = uri(finding.place.filename)
        grouped.setdefault(at, []).append(diagnostic(finding, result, codec))
    for finding in result.held:
        told = diagnostic(finding, result, codec)
        told.message += f"\n{_HELD}"
        grouped.setdefault(uri(finding.place.filename), []).append(told)
    return grouped


def diagnostic(finding: Finding, result: Result, codec: PositionCodec) -> types.Diagnostic:
    """One finding for the editor."""
    related = [_related(one, result, codec) for one in finding.related]
    return types.Diagnostic(
        range=place_range(finding.place, result, codec),
        message=in_full(finding),
        severity=_severity(finding),
        code=finding.code,
        code_description=types.CodeDescription(finding.url),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == UNUSED_SUPPRESSION else None,
        related_information=related or None,
    )


def place_range(place: Place, result: Result, codec: PositionCodec) -> types.Range:
    """The range of a place that a result speaks of."""
    return range_of(place, _lines(result, place.filename), codec)


def _lines(result: Result, name: str) -> Sequence[str]:
    part = result.program.named(name)
    return part.lines if part else result.lines.get(name, ())


def _severity(finding: Finding) -> types.DiagnosticSeverity:
    if finding.certainty is Certainty.POSSIBLE or finding.severity is Severity.INFO:
        return types.DiagnosticSeverity.Information
    if finding.severity is Severity.WARNING:
        return types.DiagnosticSeverity.Warning
    return types.DiagnosticSeverity.Error


def _related(
    other: Related, result: Result, codec: PositionCodec
) -> types.DiagnosticRelatedInformation:
    place = other.place
    at = types.Location(uri_in(result)(place.filename), place_range(place, result, codec))
    return types.DiagnosticRelatedInformation(at, other.message)

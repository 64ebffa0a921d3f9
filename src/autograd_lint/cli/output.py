"""Findings to standard output or a file, in the format that was asked for."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TextIO

from autograd_lint.cli.outcome import Outcome
from autograd_lint.cli.request import Request
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.project.notebooks import file_of

Summaries = Callable[[], dict[str, str]]


def write(request: Request, outcome: Outcome, rules: Summaries) -> None:
    """Write the findings; `rules` gives a line about each rule.

    Raises Trouble where the output file cannot be written.
    """
    found = outcome.findings
    with _target(request.output_file) as stream:
        if request.statistics:
            _statistics(request, found, stream)
        elif request.output_format in ("text", "concise"):
            _drawn(request, outcome, stream)
        else:
            document = _document(request.output_format, outcome, rules)
            stream.write(document + "\n" if document else "")


def _target(name: str | None) -> AbstractContextManager[TextIO]:
    if name is None:
        return nullcontext(sys.stdout)
    try:
        return open(name, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise Trouble(
            f"--output-file {name}: cannot be written ({error.strerror}); choose another"
        ) from None


def _drawn(request: Request, outcome: Outcome, stream: TextIO) -> None:
    from autograd_lint.report import concise, printer, summary, text

    colour = printer.wants_colour(request.color, stream)
    if request.output_format == "text":
        lines = text.findings(outcome.findings, outcome.texts.lines, printer.width_of(stream))
    else:
        lines = concise.findings(outcome.findings)
    printer.write(lines, stream, colour)
    if not request.quiet:
        stream.writelines(
            line + "\n" for line in summary.closing(outcome.findings, outcome.refuted)
        )


def _statistics(request: Request, found: Sequence[Finding], stream: TextIO) -> None:
    from autograd_lint.report import printer, summary

    if request.output_format == "json":
        rows = [
            {"code": code, "name": name, "count": number}
            for number, code, name in summary.counts(found)
        ]
        stream.write(json.dumps(rows, indent=2) + "\n")
        return
    printer.write(summary.statistics(found), stream, printer.wants_colour(request.color, stream))
    if not request.quiet:
        stream.write(summary.summary(found) + "\n")


def _document(form: str, outcome: Outcome, rules: Summaries) -> str:
    """The findings in a format for other programs, or as a page."""
    from importlib import import_module

    report = import_module(f"autograd_lint.report.{form}")
    if form == "json":
        return str(report.findings(outcome.findings))
    if form == "html":
        return str(report.findings(outcome.findings, outcome.texts.lines))
    found = [_of_file(finding) for finding in outcome.findings]
    return str(report.findings(found, rules()) if form == "sarif" else report.findings(found))


def _of_file(finding: Finding) -> Finding:
    """A finding for formats that know files, not cells: its message names the cell."""
    if finding.cell is None:
        return finding
    related = tuple(
        replace(other, place=replace(other.place, filename=file_of(other.place.filename)))
        for other in finding.related
    )
    return replace(
        finding,
        message=f"cell {finding.cell}: {finding.message}",
        place=replace(finding.place, filename=file_of(finding.place.filename)),
        related=related,
    )

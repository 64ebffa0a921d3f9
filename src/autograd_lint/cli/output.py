"""Findings to standard output or a file, in the format that was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from autograd_lint.checking.request import FORMATS, Request
from autograd_lint.cli.outcome import Outcome, Texts
from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from autograd_lint.findings import Finding
    from autograd_lint.report.described import Described

Rules = Callable[[], "Sequence[Described]"]


def write(request: Request, outcome: Outcome, rules: Rules) -> None:
    """Write the findings, in every format that was asked for; `rules` describes all rules.

    Raises Trouble where an output file cannot be written.
    """
    _write(request, outcome, rules)
    for form, name in parsed(request.output):
        further = replace(
            request, output_format=form, output_file=name, statistics=False, coverage=False
        )
        _write(further, outcome, rules)


def tell(request: Request, outcome: Outcome, stream: TextIO) -> None:
    """Write the findings as text, or one a line, where another stream has the result of a run."""
    form = request.output_format if request.output_format == "concise" else "text"
    _drawn(replace(request, output_format=form), outcome, stream)


def parsed(outputs: Sequence[str]) -> list[tuple[str, str]]:
    """Formats and files of `--output FORMAT=FILE`; raises Trouble for what is none."""
    pairs = [given.partition("=") for given in outputs]
    for form, sign, name in pairs:
        if form not in FORMATS or not sign or not name:
            told = f"--output {form}{sign}{name}: write FORMAT=FILE, as sarif=findings.sarif"
            raise Trouble(f"{told}; the formats are {', '.join(FORMATS)}")
    return [(form, name) for form, _, name in pairs]


def _write(request: Request, outcome: Outcome, rules: Rules) -> None:
    with target(request.output_file, document=_is_document(request)) as stream:
        if request.statistics:
            _statistics(request, outcome, stream)
        elif request.coverage:
            _coverage(request, outcome, stream)
        elif request.output_format in ("text", "concise"):
            _drawn(request, outcome, stream)
        else:
            document = _document(request.output_format, outcome, rules)
            stream.write(document + "\n" if document else "")


def _is_document(request: Request) -> bool:
    return request.output_format not in ("text", "concise")


def hand_over(document: str) -> None:
    """Write a document for other programs to standard output."""
    with target(None, document=True) as stream:
        stream.write(document)


@contextmanager
def target(name: str | None, *, document: bool = False) -> Iterator[TextIO]:
    """Standard output, or a file; raises Trouble where it cannot be written (a full disk).

    A document for other programs is UTF-8, whatever the encoding of the terminal is.
    """
    if name is None:
        if document and isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        yield sys.stdout
        return
    try:
        with open(name, "w", encoding="utf-8", errors="backslashreplace") as stream:
            yield stream
    except OSError as error:
        raise Trouble(
            f"--output-file {name}: cannot be written ({error.strerror}); choose another"
        ) from None


def _drawn(request: Request, outcome: Outcome, stream: TextIO) -> None:
    if outcome.findings:
        _draw(request, outcome, stream)
    if not request.quiet and (outcome.findings or not outcome.troubled):
        from autograd_lint.report import summary

        closing = summary.closing(outcome.findings, outcome.refuted, outcome.known)
        stream.writelines(line + "\n" for line in closing)


def _draw(request: Request, outcome: Outcome, stream: TextIO) -> None:
    from autograd_lint.report import concise, printer, text

    colour = printer.wants_colour(request.color, stream)
    if request.output_format == "text":
        lines = text.findings(outcome.findings, outcome.texts.lines, printer.width_of(stream))
    else:
        lines = concise.findings(outcome.findings)
    printer.write(lines, stream, colour)


def _statistics(request: Request, outcome: Outcome, stream: TextIO) -> None:
    from autograd_lint.report import left_out, printer, summary

    found = outcome.findings
    if request.output_format == "json":
        rows: list[dict[str, object]] = [
            {"code": code, "name": name, "count": number}
            for number, code, name in summary.counts(found)
        ]
        if outcome.left_out:
            rows.append(left_out.note(outcome.left_out))
        import json

        stream.write(json.dumps(rows, indent=2) + "\n")
        return
    printer.write(summary.statistics(found), stream, printer.wants_colour(request.color, stream))
    if not request.quiet:
        stream.write(summary.summary(found, outcome.known) + "\n")


def _coverage(request: Request, outcome: Outcome, stream: TextIO) -> None:
    from autograd_lint.report import coverage, printer

    if request.output_format == "json":
        stream.write(coverage.document(outcome.coverage) + "\n")
        return
    lines = coverage.text(outcome.coverage)
    printer.write(lines, stream, printer.wants_colour(request.color, stream))


def _document(form: str, outcome: Outcome, rules: Rules) -> str:
    """The findings in a format for other programs, or as a page."""
    from importlib import import_module

    report, lines = import_module(f"autograd_lint.report.{form}"), outcome.texts.lines
    if form == "json":
        return str(report.findings(outcome.findings))
    if form == "html":
        return str(report.findings(outcome.findings, lines))
    found = [_of_file(finding, outcome.texts) for finding in outcome.findings]
    if form == "sarif":
        return str(report.findings(found, rules(), lines))
    return str(report.findings(found, lines) if form == "rdjson" else report.findings(found))


def _of_file(finding: Finding, texts: Texts) -> Finding:
    """A finding for formats that know files, not cells: its message names the cell.

    Places are those in the file itself, where the edits of a fix would need to be JSON.
    """
    if finding.cell is None:
        return finding
    related = tuple(replace(other, place=texts.in_file(other.place)) for other in finding.related)
    return replace(
        finding,
        message=f"cell {finding.cell}: {finding.message}",
        place=texts.in_file(finding.place),
        related=related,
        fix=None,
    )

"""Findings to standard output or a file, in the format that was asked for."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TextIO

from autograd_lint.cli.request import Request
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.project import reading

Summaries = Callable[[], dict[str, str]]


def write(
    request: Request, found: Sequence[Finding], given: dict[str, bytes], rules: Summaries
) -> None:
    """Write `found`; `given` holds sources that are not on disk, `rules` a line about each rule.

    Raises Trouble where the output file cannot be written.
    """
    with _target(request.output_file) as stream:
        if request.statistics:
            _statistics(request, found, stream)
        elif request.output_format in ("text", "concise"):
            _drawn(request, found, given, stream)
        else:
            _for_programs(request.output_format, found, rules, stream)


def _target(name: str | None) -> AbstractContextManager[TextIO]:
    if name is None:
        return nullcontext(sys.stdout)
    try:
        return open(name, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise Trouble(
            f"--output-file {name}: cannot be written ({error.strerror}); choose another"
        ) from None


def _drawn(
    request: Request, found: Sequence[Finding], given: dict[str, bytes], stream: TextIO
) -> None:
    from autograd_lint.report import concise, printer, summary, text

    colour = printer.wants_colour(request.color, stream)
    if request.output_format == "text":
        texts = Texts(given)
        lines = text.findings(found, texts.lines, printer.width_of(stream))
    else:
        lines = concise.findings(found)
    printer.write(lines, stream, colour)
    if not request.quiet:
        stream.write(summary.summary(found) + "\n")


def _statistics(request: Request, found: Sequence[Finding], stream: TextIO) -> None:
    from autograd_lint.report import printer, summary

    if request.output_format == "json":
        rows = [
            {"code": code, "name": name, "count": number}
            for number, code, name in summary.counts(found)
        ]
        stream.write(json.dumps(rows, indent=2) + "\n")
        return
    if request.output_format not in ("text", "concise"):
        raise Trouble(
            "--statistics: counts are written as text or json; choose one with --output-format"
        )
    printer.write(summary.statistics(found), stream, printer.wants_colour(request.color, stream))
    if not request.quiet:
        stream.write(summary.summary(found) + "\n")


def _for_programs(form: str, found: Sequence[Finding], rules: Summaries, stream: TextIO) -> None:
    from importlib import import_module

    report = import_module(f"autograd_lint.report.{form}")
    document = report.findings(found, rules()) if form == "sarif" else report.findings(found)
    stream.write(document + "\n" if document else "")


class Texts:
    """The lines of the files that findings speak of, each file read once."""

    def __init__(self, given: dict[str, bytes]) -> None:
        self._given = given
        self._lines: dict[str, list[str]] = {}

    def lines(self, filename: str) -> list[str]:
        """The lines of a file; empty where it cannot be read any more."""
        if filename not in self._lines:
            self._lines[filename] = self._read(filename)
        return self._lines[filename]

    def _read(self, filename: str) -> list[str]:
        try:
            data = self._given[filename] if filename in self._given else Path(filename).read_bytes()
        except OSError:
            return []
        try:
            return reading.decode(data, filename).lines
        except reading.UNREADABLE:
            return data.decode("utf-8", "replace").splitlines()

"""Places by snippet, and findings as readable text."""

from dataclasses import replace
from textwrap import wrap

from autograd_lint.engine.faults import Fault
from autograd_lint.evidence.probability import ONE_FILE, WHOLE_PROGRAM
from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.registry import judge


def spot(source: Source, snippet: str) -> Place:
    """The place of the first occurrence of a snippet, which is within one line."""
    before, _, _ = source.text.partition(snippet)
    row = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Place(source.filename, row, column, row, column + len(snippet))


def told(fault: Fault, source: Source) -> str:
    """The whole finding of a fault, as text, where the run of a program of one file shows it."""
    finding = judge(replace(fault, signals=fault.signals | {WHOLE_PROGRAM, ONE_FILE}), source)
    assert finding is not None
    return _text(finding, source)


def _text(finding: Finding, source: Source) -> str:
    lines = [
        f"{finding.code} {finding.certainty.value}: {finding.message}",
        _line(source, finding.place, finding.role, finding.label),
        *(_line(source, other.place, other.role, other.message) for other in finding.related),
        f"reason: {finding.reason}",
        f"help: {finding.help}",
    ]
    return "\n".join(wrapped for line in lines for wrapped in _wrapped(line)) + "\n"


def _wrapped(line: str) -> list[str]:
    indent = "      "
    return wrap(line, 92, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _line(source: Source, place: Place, role: str, label: str) -> str:
    code = source.lines[place.row - 1][place.column - 1 : place.end_column - 1]
    return f"  {place.row} [{code}] {role}: {label}"


def mended(source: Source, fix: Fix | None) -> str:
    """The text after the edits of a fix, each of which is within one line."""
    assert fix is not None
    lines = list(source.lines)
    for edit in sorted(fix.edits, key=lambda edit: edit.place, reverse=True):
        line, place = lines[edit.place.row - 1], edit.place
        head, tail = line[: place.column - 1], line[place.end_column - 1 :]
        lines[place.row - 1] = head + edit.content + tail
    return "\n".join(lines)

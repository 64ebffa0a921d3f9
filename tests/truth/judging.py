"""Compares what the abstract engine foresees with what the real engine does."""

import traceback
from dataclasses import dataclass

from autograd_lint.engine.faults import Fault
from autograd_lint.interpreter import analyse
from autograd_lint.project.source import Source
from tests.truth.programs import Program
from tests.truth.real import FILENAME, Verdict


@dataclass(frozen=True)
class Disagreement:
    """How the two engines differ on a program: what sort of difference, and the case in words.

    Sorts: `crash`, `false-certain` (a certain fault that does not come), `missed` (an error not
    foreseen), `wrong-kind`, `false-likely` (the same as false-certain, on assumptions that a
    program without unknown branches does not need), `unsure` (foreseen, but only on assumptions).
    """

    sort: str
    detail: str


def foresee(text: str) -> list[Fault]:
    """The faults that are at least likely."""
    return [fault for fault in analyse(Source(FILENAME, text)) if fault.weight <= 1]


def compare(program: Program, verdict: Verdict) -> Disagreement | None:
    """The disagreement of the engines on a valid program, or None."""
    try:
        faults = foresee(program.text)
    except Exception:
        return Disagreement("crash", traceback.format_exc(-3))
    sort = _sort(faults, verdict, program.decided)
    return Disagreement(sort, describe(faults, verdict)) if sort else None


def _sort(faults: list[Fault], verdict: Verdict, decided: bool) -> str | None:
    hits = [f for f in faults if _row(f) == verdict.row and f.kind == verdict.kind]
    wrong = [f for f in faults if f not in hits]
    if any(_row(f) == verdict.row for f in wrong) and verdict.kind and not hits:
        return "wrong-kind"
    if any(not f.assumptions for f in wrong):
        return "false-certain"
    if verdict.kind and not hits:
        return "missed"
    if wrong and decided:
        return "false-likely"
    if hits and decided and all(f.assumptions for f in hits):
        return "unsure"
    return None


def _row(fault: Fault) -> int | None:
    return fault.place.row if fault.place else None


def describe(faults: list[Fault], verdict: Verdict) -> str:
    """Both verdicts, in a line each."""
    real = f"{verdict.kind.value} at {verdict.row}: {verdict.message}" if verdict.kind else "clean"
    lines = [f"real engine: {real}"]
    for fault in faults:
        assumed = "; ".join(sorted(a.text for a in fault.assumptions)) or "certain"
        lines.append(f"foreseen: {fault.kind.value} at {_row(fault)} ({assumed}) {fault.detail}")
    return "\n".join(lines if faults else [*lines, "foreseen: clean"])


def numbered(text: str) -> str:
    """The program with its line numbers."""
    return "\n".join(f"{row:3d}  {line}" for row, line in enumerate(text.splitlines(), 1))

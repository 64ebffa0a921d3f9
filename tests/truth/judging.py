"""Compares what the abstract engine foresees with what the real engine does."""

import ast
import traceback
from dataclasses import dataclass

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.interpreter import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.truth.programs import Program
from tests.truth.real import FILENAME, PARTS, Verdict


@dataclass(frozen=True)
class Disagreement:
    """How the two engines differ on a program: what sort of difference, and the case in words.

    A fault in a branch or a function that this run did not come to is no difference, nor one that
    only the canonical training step would raise. Behind a branch that only a run decides, a fault
    may be merely possible.
    Sorts: `crash`, `false-certain` (a certain fault that does not come), `missed` (an error not
    foreseen), `wrong-kind`, `false-likely` (the same as false-certain, on assumptions that a
    program without unknown branches does not need), `unsure` (foreseen, but only on assumptions).
    """

    sort: str
    detail: str


class Beside(Project):
    """A project of the program and of `parts`, without a disk."""

    def __init__(self, parts: str) -> None:
        super().__init__(())
        self._parts = Source(PARTS, parts)

    def resolve(self, name: str, importer: Source, level: int = 0) -> Source | None:
        return self._parts if name == "parts" and not level else None

    def file(self, filename: str) -> Source | None:
        return self._parts if filename == PARTS else None


def foresee(program: Program, filename: str = FILENAME) -> list[Fault]:
    """All faults that raise, the merely possible ones too, that the analysis of one file tells."""
    project = Beside(program.parts) if program.parts else Project.alone()
    text = program.parts if filename == PARTS else program.text
    return [fault for fault in analyse(Source(filename, text), project) if _raises(fault)]


def _raises(fault: Fault) -> bool:
    """Whether the engine raises: not for pitfalls, nor for writes that no version counter sees."""
    silent_write = fault.modified is not None and not fault.modified.bumped
    return isinstance(fault.kind, FaultKind) and not silent_write


def compare(program: Program, verdict: Verdict) -> Disagreement | None:
    """The disagreement of the engines on a valid program, or None."""
    try:
        faults = foresee(program)
    except Exception:
        return Disagreement("crash", traceback.format_exc(-3))
    placed = [f for f in faults if f.place and not _never_called(f, program, verdict)]
    sort = _sort([f for f in placed if f.weight <= 1], verdict, program.decided)
    elsewhere = [*foresee(program, PARTS), *([] if program.decided else placed)]
    if sort in ("missed", "wrong-kind") and any(_hits(f, verdict) for f in elsewhere):
        return None
    return Disagreement(sort, describe(faults, verdict)) if sort else None


def _sort(faults: list[Fault], verdict: Verdict, decided: bool) -> str | None:
    at = (verdict.filename, verdict.row)
    hits = [f for f in faults if _hits(f, verdict)]
    wrong = [f for f in faults if f not in hits]
    if any(_at(f) == at for f in wrong) and verdict.kind and not hits:
        return "wrong-kind"
    if any(not f.assumptions and (decided or _at(f) in verdict.executed) for f in wrong):
        return "false-certain"
    if verdict.kind and not hits:
        return "missed"
    if wrong and decided:
        return "false-likely"
    if hits and decided and all(f.assumptions for f in hits):
        return "unsure"
    return None


def _hits(fault: Fault, verdict: Verdict) -> bool:
    return _at(fault) == (verdict.filename, verdict.row) and fault.kind == verdict.kind


def _never_called(fault: Fault, program: Program, verdict: Verdict) -> bool:
    """Whether the fault lies in a function that the run never entered."""
    filename, row = _at(fault)
    text = program.parts if filename == PARTS else program.text
    bodies = [
        range(node.body[0].lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    ]
    around = [body for body in bodies if row in body]
    return any(not any((filename, r) in verdict.executed for r in body) for body in around)


def _at(fault: Fault) -> tuple[str | None, int | None]:
    return (fault.place.filename, fault.place.row) if fault.place else (None, None)


def describe(faults: list[Fault], verdict: Verdict) -> str:
    """Both verdicts, in a line each."""
    at = f"{verdict.filename}:{verdict.row}"
    real = f"{verdict.kind.value} at {at}: {verdict.message}" if verdict.kind else "clean"
    lines = [f"real engine: {real}"]
    for fault in faults:
        assumed = "; ".join(sorted(a.text for a in fault.assumptions)) or "certain"
        assumed += ": only possible" if fault.weight > 1 else ""
        lines.append(f"foreseen: {fault.kind.value} at {fault.place} ({assumed}) {fault.detail}")
    return "\n".join(lines if faults else [*lines, "foreseen: clean"])


def numbered(program: Program) -> str:
    """The program with its line numbers, the second file first."""
    texts = [text for text in (program.parts, program.text) if text]
    rows = [enumerate(text.splitlines(), 1) for text in texts]
    return "\n".join("\n".join(f"{row:3d}  {line}" for row, line in file) for file in rows)

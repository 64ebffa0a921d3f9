"""Compares what the abstract engine foresees with what the real engine does."""

import ast
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.wording import worded
from autograd_lint.operators.table import versions
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.truth.programs import Program
from tests.truth.real import FILENAME, Verdict


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


@cache
def installed() -> str | None:
    """The torch that runs, where its operators were measured."""
    version = ".".join(torch.__version__.split(".")[:2])
    return version if version in versions() else None


@contextmanager
def written(program: Program) -> Iterator[tuple[Project, list[Source]]]:
    """The files of a program on disk, the script first, and the project of them; a program of one
    file stands alone."""
    if not program.files:
        yield Project((), target=installed), [Source(FILENAME, program.text)]
        return
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in {FILENAME: program.text, **program.files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        names = [FILENAME, *program.files]
        texts = [program.text, *program.files.values()]
        sources = [Source(str(root / n), t) for n, t in zip(names, texts, strict=True)]
        yield Project((root,), target=installed), sources


def foresee(program: Program) -> tuple[list[Fault], list[Fault]]:
    """All faults that raise, the merely possible ones too: those that the run of the script shows,
    in whichever file they lie, and those that the other files show."""
    with written(program) as (project, sources):
        root = os.path.dirname(sources[0].filename)
        found = [
            [_relative(fault, root) for fault in analyse(source, project) if _raises(fault)]
            for source in sources
        ]
    return found[0], [fault for faults in found[1:] for fault in faults]


def _relative(fault: Fault, root: str) -> Fault:
    """The fault with the name that the program gives to the file where it is raised."""
    if fault.place is None or not root:
        return fault
    name = os.path.relpath(fault.place.filename, root)
    return replace(fault, place=replace(fault.place, filename=name))


def _raises(fault: Fault) -> bool:
    """Whether the engine raises: not for pitfalls, nor for writes that no version counter sees, nor
    where the program ends before."""
    silent_write = fault.modified is not None and not fault.modified.bumped
    return isinstance(fault.kind, FaultKind) and not silent_write and fault.behind is None


def compare(program: Program, verdict: Verdict) -> Disagreement | None:
    """The disagreement of the engines on a valid program, or None."""
    try:
        faults, others = foresee(program)
    except Exception:
        return Disagreement("crash", traceback.format_exc(-3))
    placed = [f for f in faults if f.place and not _never_called(f, program, verdict)]
    sort = _sort([f for f in placed if f.weight <= 1], verdict, program.decided)
    elsewhere = [*others, *([] if program.decided else placed)]
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
    text = program.text if filename in (FILENAME, None) else program.files[filename]
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
        assumed = "; ".join(sorted(worded(a) for a in fault.assumptions)) or "certain"
        assumed += ": only possible" if fault.weight > 1 else ""
        lines.append(f"foreseen: {fault.kind.value} at {fault.place} ({assumed}) {fault.detail}")
    return "\n".join(lines if faults else [*lines, "foreseen: clean"])


def numbered(program: Program) -> str:
    """The program with its line numbers, the script last."""
    return "\n".join(
        line
        for name, text in (*program.files.items(), (FILENAME, program.text))
        for line in _numbered(name, text)
    )


def _numbered(name: str, text: str) -> Iterator[str]:
    yield f"{name}:"
    for row, line in enumerate(text.splitlines(), 1):
        yield f"{row:3d}  {line}"

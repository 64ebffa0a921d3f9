"""Runs the tool on the labelled code bases again."""

from collections.abc import Iterable
from pathlib import Path

from autograd_lint import Finding, check
from autograd_lint.project.cells import file_of
from benchmarks.labels.reading import Label, Spot, Told


def findings(folder: Path, labels: Iterable[Label]) -> dict[Spot, Finding]:
    """What is told today, at any certainty, of the labelled files of a code base."""
    root, labelled = folder.resolve(), [one.spot for one in labels]
    files = sorted({root / one.file for one in labelled if (root / one.file).is_file()})
    found = check(files, certainty="possible", isolated=True, jobs=1) if files else []
    base, state = labelled[0].base, labelled[0].state
    return {
        Spot(base, state, _relative(root, one), one.cell, one.place.row, one.code): one
        for one in found
    }


def _relative(root: Path, finding: Finding) -> str:
    path = Path(file_of(finding.place.filename))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def told_of(finding: Finding | None) -> Told | None:
    """How a finding is told."""
    if finding is None:
        return None
    assumed = finding.assumptions
    kinds, priors = (one.kind for one in assumed), (one.prior for one in assumed)
    return Told(tuple(kinds), tuple(priors), finding.signals)


def line(label: Label, finding: Finding | None) -> str:
    """Whether the finding of a label is still told, and how."""
    today, spot = "gone", label.spot
    if finding is not None:
        today = f"{finding.certainty.value} {finding.probability:.2f}"
    then = f"{label.verdict:8s} {label.certainty:8s}"
    return f"{then} -> {today:14s} {spot.code} {spot.file}:{spot.row}"

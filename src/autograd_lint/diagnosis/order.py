"""The order in which files are run of which no traceback tells, by what the error says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from autograd_lint.diagnosis.candidates import Budget
from autograd_lint.diagnosis.fitting import Way, where
from autograd_lint.diagnosis.ranking import Candidate
from autograd_lint.engine.faults import FaultKind

FEW = 20  # files that are run as far as each goes
BUDGET = Budget(each=1_000, all_files=80_000)


def promises(suspected: Iterable[Candidate]) -> dict[str, float]:
    """How much the most suspect statement of each file is suspected."""
    found: dict[str, float] = {}
    for one in suspected:
        if not one.is_excluded:
            filename = one.finding.place.filename
            found[filename] = max(one.weight, found.get(filename, 0.0))
    return found


def ordered(files: Iterable[Path], promised: Mapping[str, float], error: FaultKind) -> list[Path]:
    """Files, those with the most suspect statements first; of equals tests and the like last."""

    def rank(path: Path) -> tuple[float, int]:
        return -promised.get(str(path), 0.0), len(list(where(str(path), Way(), error)))

    return sorted(files, key=rank)

"""How many runs the analysis of files takes, and how many steps: figures that no load disturbs.

`python -m benchmarks.runs FILE_OR_FOLDER...` checks them and prints, for each reason to run
something, the runs, their steps (statements and calls) and their CPU seconds.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from unittest.mock import patch

from autograd_lint.analysis.runs import Harness, Runs
from autograd_lint.cli import app
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Path
from benchmarks.findings import OPTIONS


def why(path: Path, *, whole: bool) -> str:
    """Why a run along a path is made."""
    if path.negated:
        return "the negated path"
    if path.turned:
        return "a condition that a search has turned"
    if path.decision_prefix:
        return "a condition that matters, flipped"
    if path.wanted_sides:
        return "directed to a statement"
    return "first of a module" if whole else "first of a definition"


def counted(paths: Sequence[str]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """The runs over files, their steps, and microseconds of CPU, each by why they are made."""
    runs, steps, spent = Counter[str](), Counter[str](), Counter[str]()
    along = Runs.along

    def noted(self: Runs, path: Path, harness: Harness, budget: int) -> Interpreter:
        begun = time.thread_time_ns()
        run = along(self, path, harness, budget)
        reason = why(path, whole=run.whole)
        runs[reason] += 1
        steps[reason] += run.budget.steps
        spent[reason] += (time.thread_time_ns() - begun) // 1000
        return run

    with patch.object(Runs, "along", noted), suppress(SystemExit):
        app([*OPTIONS, f"--output-file={os.devnull}", *paths])
    return runs, steps, spent


def main() -> None:
    """Print what the runs over the given files take."""
    runs, steps, spent = counted(sys.argv[1:])
    for reason in sorted(steps, key=steps.__getitem__, reverse=True):
        seconds = spent[reason] / 1e6
        print(f"{reason:40} {runs[reason]:7} runs {steps[reason]:9} steps {seconds:8.1f} s")
    print(f"{'all':40} {runs.total():7} runs {steps.total():9} steps {spent.total() / 1e6:8.1f} s")


if __name__ == "__main__":
    main()

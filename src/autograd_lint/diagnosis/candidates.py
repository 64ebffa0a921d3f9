"""What the analysis of the program shows, at every certainty: the candidates for a cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.desk import Plan
from autograd_lint.checking.gathering import Gathering
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.workers import check_files
from autograd_lint.configuration.selection import Selection
from autograd_lint.engine.faults import FaultKind
from autograd_lint.levels import Certainty
from autograd_lint.project.cells import cell_of

if TYPE_CHECKING:
    from autograd_lint.analysis.known_path import KnownPath
    from autograd_lint.checking.machinery import Machinery
    from autograd_lint.configuration.settings import Settings
    from autograd_lint.diagnosis.matching import Step
    from autograd_lint.diagnosis.topics.topic import Topic
    from autograd_lint.findings import Finding

# Errors that a program meets where gradients may not have been recorded.
_WITHOUT_RECORDING = {FaultKind.NO_GRAD_ROOT, FaultKind.UNUSED_INPUT, FaultKind.VIEW_MODIFIED,
                      FaultKind.INFERENCE_TENSOR, FaultKind.OTHER}  # fmt: skip


@dataclass(frozen=True)
class Budget:
    """Steps that the runs over `each` file may take, and steps of the runs over `all_files` after
    which no other is begun."""

    each: int
    all_files: int


@dataclass
class Shown:
    """What was looked at, and what it shows; `troubles` are the files that could not be checked,
    `left_out` counts those that were not begun, `steps` what was run."""

    files: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    left_out: int = 0
    steps: int = 0

    def take(self, results: Iterable[Checked]) -> Shown:
        """Add results; earlier variants of a finding may agree with an error where it does not.

        Their fixes have not been tried.
        """
        for checked in results:
            self.steps += checked.steps
            if checked.filename:
                self.files.append(checked.filename)
            if checked.trouble:
                self.troubles.append(checked.trouble)
            self.findings += checked.findings
            self.findings += [replace(one, fix=None) for one in checked.variants]
        return self

    def joined(self, other: Shown) -> Shown:
        """What either shows."""
        return Shown(
            [*self.files, *other.files],
            [*self.findings, *other.findings],
            [*self.troubles, *other.troubles],
            self.left_out + other.left_out,
            self.steps + other.steps,
        )


def settings_for(settings: Settings) -> Settings:
    """Settings under which everything is shown: all rules, every certainty, no comment heeded."""
    return replace(
        settings,
        selection=Selection(("ALL",)),
        per_file_ignores=(),
        certainty=Certainty.POSSIBLE,
        baseline=None,
        heeds_comments=False,
    )


def known_path(steps: Iterable[Step], topic: Topic) -> KnownPath:
    """Where a program has been that ended in an error of this class: on the rows of the traceback
    (not in notebooks, whose cells have rows of their own)."""
    from autograd_lint.analysis.known_path import KnownPath

    rows: dict[str, frozenset[int]] = {}
    for step in steps:
        if cell_of(step.filename) is None:
            rows[step.filename] = rows.get(step.filename, frozenset()) | {step.row}
    return KnownPath(rows, recorded=topic.error not in _WITHOUT_RECORDING)


def along(files: Iterable[str], known: KnownPath, plan: Plan) -> Shown:
    """What the runs of some files show, and of their importers, each on the path that is known."""
    desk = replace(plan, machinery=partial(conditioned, known)).desk()
    gathering = Gathering(desk.project, desk.check)
    checked = [desk.check(Path(name)) for name in files]
    for one in checked:
        gathering.add(one)
    return Shown().take([*checked, *gathering.found()])


def everywhere(
    files: Sequence[Path],
    known: KnownPath | None,
    plan: Plan,
    jobs: int | None = None,
    cache: Path | None = None,
    budget: Budget | None = None,
) -> Shown:
    """What the runs of these files show, as far as a budget goes. The cache is for runs of which no
    path is known, and that go as far as they can."""
    each = budget.each if budget is not None else None
    if each is not None or (known is not None and known.rows):
        plan = replace(plan, machinery=partial(conditioned, known, each))
    shown = Shown()
    with closing(check_files(files, plan, jobs, cache)) as results:
        for count, checked in enumerate(results, 1):
            shown.take([checked])
            if budget is not None and shown.steps >= budget.all_files:
                shown.left_out = max(0, len(files) - count)
                break
    return shown


def loaded(files: Iterable[str], plan: Plan) -> list[str]:
    """The files of the project that are run when these are: what they import."""
    desk = plan.desk()
    found = {name: None for file in files for name in desk.project(Path(file)).loaded(file)}
    return list(found)


def conditioned(known: KnownPath | None, within: int | None = None) -> Machinery:
    """The package's own machinery, for a program of which it is known where it has been, and for
    runs of a file `within` so many steps."""
    from autograd_lint.analysis import analysed

    standard = standard_machinery()
    return replace(standard, analyse=partial(analysed, known=known, within=within))


def distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each finding once."""
    seen: dict[Finding, None] = {}
    for finding in findings:
        seen.setdefault(replace(finding, steps=0))
    return iter(seen)

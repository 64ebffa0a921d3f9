"""What the analysis of the program shows, at every certainty: the candidates for a cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.gathering import Gathering
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.workers import Plan, check_files
from autograd_lint.configuration.selection import Selection
from autograd_lint.levels import Certainty
from autograd_lint.project.cells import cell_of, file_of

if TYPE_CHECKING:
    from autograd_lint.checking.pipeline import Machinery
    from autograd_lint.configuration.settings import Settings
    from autograd_lint.diagnosis.matching import Step
    from autograd_lint.findings import Finding

Rows = Mapping[str, frozenset[int]]


@dataclass
class Shown:
    """What was looked at, and what it shows; `troubles` are the files that could not be checked."""

    files: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def take(self, results: Iterable[Checked]) -> Shown:
        """Add results; earlier variants of a finding may agree with an error where it does not.

        Their fixes have not been tried.
        """
        for checked in results:
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


def along(steps: Iterable[Step], plan: Plan) -> Shown:
    """What the runs of the files show that a traceback leads through, and of their importers.

    Where a condition is unknown, the runs take the side on which the rows of the traceback stand
    (not in notebooks, whose cells have rows of their own).
    """
    rows: dict[str, frozenset[int]] = {}
    files: dict[str, None] = {}
    for step in steps:
        files[file_of(step.filename)] = None
        if cell_of(step.filename) is None:
            rows[step.filename] = rows.get(step.filename, frozenset()) | {step.row}
    desk = replace(plan, machinery=partial(conditioned, rows)).desk()
    gathering = Gathering(desk.project, desk.check)
    checked = [desk.check(Path(name)) for name in files]
    for one in checked:
        gathering.add(one)
    return Shown().take([*checked, *gathering.found()])


def everywhere(
    files: Iterable[Path], plan: Plan, jobs: int | None = None, cache: Path | None = None
) -> Shown:
    """What the runs of all these files show."""
    return Shown().take(check_files(list(files), plan, jobs, cache))


def conditioned(rows: Rows) -> Machinery:
    """The package's own machinery, for a program that is known to have come by some rows."""
    from autograd_lint.analysis import analysed

    standard = standard_machinery()
    return replace(standard, analyse=partial(analysed, passed=rows))


def distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each finding once."""
    seen: dict[Finding, None] = {}
    for finding in findings:
        seen.setdefault(replace(finding, steps=0))
    return iter(seen)

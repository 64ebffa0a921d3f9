"""What became of a file that was checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # A run that finds nothing imports no findings.
    from collections.abc import Iterable
    from pathlib import Path

    from autograd_lint.coverage import Coverage
    from autograd_lint.findings import Finding
    from autograd_lint.places import Place
    from autograd_lint.project.stamps import Stamp

Comment = tuple[str, int, int]
"""The file, row and column of a comment."""


@dataclass(frozen=True)
class Checked:
    """What became of one file: its findings, or the one line that says why it was not checked.

    The findings are what the runs over the file show; some may lie in other files. `variants` are
    the same ones as earlier runs showed them, with more assumptions. `steps` is how much was run.
    `suppressed` counts the findings that comments silenced, `used` are the
    comments of other files that did, each as file, row and column; `trail` are the files that
    imports asked for on the way. `left_out` are the definitions that were not begun, as the budget
    of the file was used up, `coverage` is what its runs reached, where that is wanted. `broken`
    says that Python itself has ended the program, which is not kept in the cache, `hurried` that
    the check took too long and was made again in few steps: the next run tries it anew.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    variants: tuple[Finding, ...] = ()
    steps: int = 0
    trouble: str = ""
    suppressed: int = 0
    used: tuple[Comment, ...] = ()
    trail: tuple[Stamp, ...] = ()
    left_out: tuple[str, ...] = ()
    coverage: Coverage | None = None
    broken: bool = False
    hurried: bool = False


def unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each code and place, in the order of the places: the most certain one, of
    those one that assumes least, and of those one that can be fixed. Which it is does not hang on
    their order."""
    best: dict[tuple[Place, str], Finding] = {}
    for finding in sorted(findings, key=_worth):
        best.setdefault((finding.place, finding.code), finding)
    return [best[key] for key in sorted(best)]


def _worth(finding: Finding) -> tuple[object, ...]:
    """What a finding is sorted by: the one to be told of several comes first."""
    elsewhere = [one.place.filename != finding.place.filename for one in finding.related]
    return (
        finding.certainty.rank,
        len(finding.assumptions),
        finding.fix is None,
        sum(elsewhere),
        [one.place for one in finding.related],
        finding.assumptions,
        finding.message,
    )


def before(checked: Checked, steps: int) -> list[Finding]:
    """The findings of a file that were shown by what began before so many steps were run."""
    found = (*checked.findings, *checked.variants)
    return unique(finding for finding in found if finding.steps < steps)


def places_of(finding: Finding) -> list[Place]:
    """The place of a finding, and those that it relates to."""
    return [finding.place, *(other.place for other in finding.related)]


def unreadable(path: Path, error: OSError) -> str:
    """The line about a file that cannot be read, with the remedy."""
    remedy = "change its permissions or exclude it"
    if not path.is_file():
        remedy = "name a regular file"
    return f"{path}: cannot be read ({error.strerror}); {remedy}"

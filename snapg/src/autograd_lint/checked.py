"""What became of a file that was checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # A run that finds nothing imports no findings.
    from collections.abc import Iterable
    from pathlib import Path

    from autograd_lint.findings import Finding
    from autograd_lint.places import Place
    from autograd_lint.project.stamps import Stamp

Comment = tuple[str, int, int]
"""The file, row and column of a comment."""


@dataclass(frozen=True)
class Checked:
    """What became of one file: its findings, or the one line that says why it was not checked.

    `suppressed` counts the findings that comments silenced, `used` are the comments of other files
    that did, each as file, row and column; `trail` are the files that imports asked for on the way.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    trouble: str = ""
    suppressed: int = 0
    used: tuple[Comment, ...] = ()
    trail: tuple[Stamp, ...] = ()


def unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each code and place, in the order of the places: the most certain one, and
    of those one that can be fixed."""
    best: dict[tuple[Place, str], Finding] = {}
    for finding in sorted(findings, key=lambda one: (one.certainty.rank, one.fix is None)):
        best.setdefault((finding.place, finding.code), finding)
    return [best[key] for key in sorted(best)]


def unreadable(path: Path, error: OSError) -> str:
    """The line about a file that cannot be read, with the remedy."""
    remedy = "mend its rights or exclude it"
    if not path.is_file():
        remedy = "name a regular file"
    return f"{path}: cannot be read ({error.strerror}); {remedy}"

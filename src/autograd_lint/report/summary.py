"""What was found in all: the last line, and the statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from autograd_lint.levels import Certainty
from autograd_lint.project.cells import file_of

if TYPE_CHECKING:  # A run that finds nothing imports no findings.
    from autograd_lint.findings import Finding
    from autograd_lint.report.excerpt import Line


def summary(found: Sequence[Finding], known: int = 0) -> str:
    """The last line: how many findings, how certain, in how many files; `known` ones of the
    baseline are not among them."""
    if not found:
        return f"No findings besides {known} in the baseline." if known else "No findings."
    by_certainty = Counter(finding.certainty for finding in found)
    kinds = ", ".join(f"{by_certainty[one]} {one.value}" for one in Certainty if by_certainty[one])
    files = len({file_of(finding.place.filename) for finding in found})
    return f"Found {_count(len(found), 'finding')} ({kinds}) in {_count(files, 'file')}."


def closing(found: Sequence[Finding], refuted: int = 0, known: int = 0) -> Iterator[str]:
    """The last lines: the summary, what the real engine said, and how many can be fixed."""
    yield summary(found, known)
    verdicts = Counter(finding.confirmation.verdict for finding in found if finding.confirmation)
    if verdicts or refuted:
        words = ("confirmed", "undecided")
        counted = [f"{verdicts[word]} {word}" for word in words if verdicts[word]]
        dropped = [f"{refuted} refuted and left out"] if refuted else []
        yield f"On the real engine: {', '.join(counted + dropped)}."
    kinds = Counter(finding.fix.applicability for finding in found if finding.fix)
    if kinds["safe"]:
        yield f"{kinds['safe']} fixable with `--fix`."
    if kinds["unsafe"]:
        yield f"{kinds['unsafe']} fixable with `--fix --unsafe-fixes`."


def counts(found: Sequence[Finding]) -> list[tuple[int, str, str]]:
    """How often each rule was found, with its code and name, the most frequent first."""
    by_rule = Counter((finding.code, finding.name) for finding in found)
    rows = [(number, code, name) for (code, name), number in by_rule.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def statistics(found: Sequence[Finding]) -> Iterator[Line]:
    """The counts as a table."""
    rows = counts(found)
    width = max((len(str(number)) for number, _, _ in rows), default=0)
    for number, code, name in rows:
        yield [(f"{number:>{width}}", "title"), (f"  {code}  {name}", "")]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

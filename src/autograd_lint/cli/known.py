"""What baselines know: each file's findings against the baseline that its settings name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autograd_lint.project.cells import file_of

if TYPE_CHECKING:  # A run that finds nothing imports no findings.
    from autograd_lint.cli.outcome import Outcome
    from autograd_lint.configuration.governing import Governing
    from autograd_lint.configuration.settings import Baseline
    from autograd_lint.findings import Finding


def fresh(outcome: Outcome, governing: Governing) -> Outcome:
    """The outcome without what baselines know; raises Trouble for one that cannot be read."""
    from autograd_lint.checking import baseline

    kept: list[Finding] = []
    for known, found in _by_baseline(outcome, governing).items():
        kept += baseline.new(known.path, found, known.root, outcome.texts.lines) if known else found
    order = {id(finding): index for index, finding in enumerate(outcome.findings)}
    kept.sort(key=lambda finding: order[id(finding)])
    return replace(outcome, findings=kept, known=len(outcome.findings) - len(kept))


def record(outcome: Outcome, governing: Governing) -> Outcome:
    """Write the baselines, after which nothing of their files is left to tell."""
    from autograd_lint.checking import baseline

    grouped = _by_baseline(outcome, governing)
    for filename in outcome.files:  # a file without findings has a baseline as well
        grouped.setdefault(governing.of(filename).baseline, [])
    left = grouped.pop(None, [])
    for known, found in grouped.items():
        if known is not None:
            baseline.write(known.path, found, known.root, outcome.texts.lines)
    return replace(outcome, findings=left, known=len(outcome.findings) - len(left))


def _by_baseline(outcome: Outcome, governing: Governing) -> dict[Baseline | None, list[Finding]]:
    grouped: dict[Baseline | None, list[Finding]] = {}
    for finding in outcome.findings:
        known = governing.of(file_of(finding.place.filename)).baseline
        grouped.setdefault(known, []).append(finding)
    return grouped

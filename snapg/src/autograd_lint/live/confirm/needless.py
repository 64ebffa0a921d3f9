"""Findings about what is of no use or has no effect: the run to compare is one without it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Finding
from autograd_lint.live.confirm.jobs import Job
from autograd_lint.live.confirm.undo import Undo
from autograd_lint.rules.registry import by_code_or_name

Without = Callable[[Finding, Job], Job]
"""Makes the run without what a finding speaks of."""

_WITHOUT_EFFECT = frozenset(
    {
        Pitfall.FLAG_WITHOUT_EFFECT,
        Pitfall.MODE_WITHOUT_EFFECT,
        Pitfall.NOT_CALLED,
        Pitfall.RESULT_DROPPED,
    }
)


def is_about(finding: Finding, pitfalls: Collection[Pitfall]) -> bool:
    """Whether the rule of a finding answers to one of these pitfalls."""
    rule = by_code_or_name(finding.code)
    return rule is not None and not rule.kinds.isdisjoint(pitfalls)


def leaving_out(finding: Finding) -> Without | None:
    """How to run without what a finding speaks of; None where it speaks of something else."""
    if is_about(finding, {Pitfall.NEEDLESS_RETAIN}):
        return _released
    return _omitted if is_about(finding, _WITHOUT_EFFECT) else None


def _released(finding: Finding, job: Job) -> Job:
    return replace(job, release=finding.place.row)


def _omitted(finding: Finding, job: Job) -> Job:
    return replace(job, undo=(*job.undo, finding.place.row), how=Undo.DROP.value)

"""Gradients that a training step leaves to its next call, which only callers may clear."""

from __future__ import annotations

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.callers import Callers, Owner
from autograd_lint.project.modules import Project
from autograd_lint.scenarios.leftover_gradients import called_again, cleared


def is_cleared_by_callers(fault: Fault, owner: Owner, project: Project) -> bool:
    """Whether gradients that a method leaves are rather cleared where the project calls it."""
    if fault.kind is not Pitfall.MISSING_ZERO_GRAD or owner.function is None:
        return False
    if called_again(owner.function.name) not in fault.assumptions:
        return False
    sites = Callers(project).sites(owner)
    return sites is None or any(
        cleared(one.source) for one in sites if one.source is not owner.source
    )

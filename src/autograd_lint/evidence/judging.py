"""How sure a finding is, and what it assumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lint.engine.assumptions import Kind, Prior
from autograd_lint.engine.faults import Fault
from autograd_lint.evidence.counts import load
from autograd_lint.evidence.probability import (
    LIKELY,
    Premise,
    Signs,
    probability,
    share_with,
)
from autograd_lint.evidence.wording import worded
from autograd_lint.findings import Assumed
from autograd_lint.immutable import immutable
from autograd_lint.levels import Certainty


@immutable
class Judged:
    """How sure a finding is, and what it assumes."""

    certainty: Certainty
    probability: float
    assumptions: tuple[Assumed, ...]


def judged(fault: Fault, code: str) -> Judged:
    """How sure the finding is that a rule makes of a fault."""
    chance = probability(Signs.of(code, fault.premises, fault.signals))
    return Judged(certainty_of(chance), chance, tuple(sorted(_assumed(fault))))


def certainty_of(chance: float) -> Certainty:
    """How sure a finding is that is right with this probability."""
    if chance == 1:
        return Certainty.CERTAIN
    return Certainty.LIKELY if chance >= LIKELY else Certainty.POSSIBLE


def _assumed(fault: Fault) -> Iterator[Assumed]:
    for one in fault.premises:
        share = share_with(Premise.of(one), load())
        yield Assumed(worded(one), one.name, one.prior.label, share)


def shown_from(code: str, always: Iterable[Kind] = ()) -> Certainty:
    """The certainty that must be asked for to be shown all findings of a rule that assume no more
    than all of them do (`always`): those of some rules are only possible where a harness has found
    them."""
    premises = tuple(Premise(kind.value, Prior.USUAL) for kind in always)
    known = certainty_of(probability(Signs(code, premises, frozenset())))
    return max(known, Certainty.LIKELY, key=lambda one: one.rank)

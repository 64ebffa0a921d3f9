"""How likely a finding is right, by what labelled findings with the same signs have shown.

A finding begins with the log odds of all findings. The rule that tells it, each of its assumptions
and each signal of the project adds a weight of its own: the model is a logistic regression whose
weights are fitted to the labels (`benchmarks/labels`), so every sign can be named with its share.
An assumption never makes a finding more likely. Few labels of a kind say little: its weight stays
near that of the assumptions which are as usual as it is, and that of a rule near none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Assumption, Prior
from autograd_lint.evidence.counts import Counted, Counts, Group, load

MOST = 0.99  # what rests on an assumption is never sure


@dataclass(frozen=True, slots=True)
class Premise:
    """The kind of one assumption, and how usual it is that such a thing holds."""

    kind: str
    prior: Prior

    @classmethod
    def of(cls, assumption: Assumption) -> Premise:
        """The kind of an assumption."""
        return cls(assumption.name, assumption.prior)


@dataclass(frozen=True, slots=True)
class Signs:
    """All that a finding is judged by: its rule, what it assumes, what the project shows."""

    code: str
    assumed: tuple[Premise, ...]
    signals: frozenset[str]

    @classmethod
    def of(cls, code: str, assumptions: Iterable[Assumption], signals: frozenset[str]) -> Signs:
        """The signs of a fault that a rule tells of."""
        found = sorted(map(Premise.of, assumptions), key=lambda one: (one.kind, one.prior))
        return cls(code, tuple(found), signals)


@dataclass(frozen=True, slots=True)
class Step:
    """One sign of a finding, what was counted of it, and what it adds to the log odds."""

    said: str
    counted: Counted
    adds: float


def probability(signs: Signs, counts: Counts | None = None) -> float:
    """How likely a finding with these signs is right; 1 where nothing is assumed."""
    if not signs.assumed:
        return 1.0
    odds = sum(step.adds for step in steps(signs, counts or load()))
    return min(1 / (1 + math.exp(-odds)), MOST)


def steps(signs: Signs, counts: Counts) -> Iterator[Step]:
    """What leads to the probability of a finding, sign by sign."""
    yield Step("every finding", counts.every, counts.every.weight)
    rule = counts.of(Group.RULE, signs.code)
    yield Step(f"rule {signs.code}", rule, rule.weight)
    for one in signs.assumed:
        kind = counts.of(Group.KIND, one.kind)
        yield Step(f"assumption {one.kind}", kind, added_by(one, counts))
    for name in sorted(signs.signals):
        signal = counts.of(Group.SIGNAL, name)
        yield Step(f"signal {name}", signal, signal.weight)


def added_by(one: Premise, counts: Counts) -> float:
    """What an assumption adds to the log odds: never more than nothing."""
    usual = counts.of(Group.PRIOR, one.prior.label).weight
    return min(0.0, usual + counts.of(Group.KIND, one.kind).weight)


def share_with(one: Premise, counts: Counts) -> float:
    """How likely a finding is right that assumes this alone, whichever rule tells it."""
    return min(1 / (1 + math.exp(-counts.every.weight - added_by(one, counts))), MOST)

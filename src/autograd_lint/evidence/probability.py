"""How likely a finding is right, by what labelled findings with the same signs have shown.

A finding begins with the log odds of all findings. The rule that tells it, how much it assumes
altogether, the kinds of its assumptions and the signals of the project each add a weight: a
logistic regression whose weights are fitted to the labels (`benchmarks/labels`), so every sign can
be named with its share. A kind of assumption never makes a finding more likely. Few labels of a
sign say little: its weight stays near where it began.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.evidence.counts import Counted, Counts, Group, load
from autograd_lint.findings import Finding
from autograd_lint.immutable import immutable

NOTHING = "nothing"  # is assumed by what is certain
WHOLE_PROGRAM = "whole-program"  # the signal that the run of the program itself shows it
ONE_FILE = "one-file"  # the signal that this program imports no other file of the project
ONLY_WARNED = "only-warned"  # the signal that torch warns, and goes on
INPUT_ON_CONTEXT = "input-on-context"  # the signal that nothing is kept alive longer
TRAINS_NOTHING = "trains-nothing"  # the signal that no step of an optimizer finds a gradient
LIKELY = 0.8  # right in four cases of five
# From here on findings that assume nothing are certain: of what raises nothing, and of errors.
SURE = 0.97
SURE_OF_ERRORS = 0.9
# What holds in nearly every run, where it is no more than usual.
_USUAL = {
    kind.value
    for kind in (
        Kind.ITERATED_AGAIN,
        Kind.HAS_REQUIRING_PARAMETERS,
        Kind.OPTIMIZED_REQUIRES_GRAD,
        Kind.IS_DATA,
    )
}
MOST = 0.99  # what rests on an assumption is never sure


@immutable
class Premise:
    """The kind of one assumption, and how usual it is that such a thing holds."""

    kind: str
    prior: Prior

    @classmethod
    def of(cls, assumption: Assumption) -> Premise:
        """The kind of an assumption."""
        return cls(assumption.name, assumption.prior)


@immutable
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

    @property
    def together(self) -> Prior:
        """How much it assumes altogether: two unusual things are as much as a daring one."""
        return total(one.prior for one in self.assumed)

    @property
    def rests_on_usual_runs(self) -> bool:
        """Whether all that it assumes is that options are what they are by default, that loops of
        unknown length come to a second iteration, that modules of unknown classes learn, and that
        data require no grad; in a program of one file, where all that trains is in sight, also that
        what no optimizer has is meant to learn."""
        others = {Kind.MEANT_TO_LEARN.value} if ONE_FILE in self.signals else set[str]()
        return bool(self.assumed) and all(_is_usual(one, _USUAL | others) for one in self.assumed)

    def names(self) -> Iterator[tuple[Group, str]]:
        """The signs by their groups; where it is daring altogether nothing else counts."""
        yield Group.TOGETHER, self.together.label if self.assumed else NOTHING
        if self.together is Prior.DARING:
            return
        yield Group.RULE, self.code
        if not self.assumed:
            yield Group.OUTRIGHT, self.code
        yield from ((Group.KIND, kind) for kind in sorted({one.kind for one in self.assumed}))
        yield from ((Group.SIGNAL, name) for name in sorted(self.signals))


def _is_usual(one: Premise, kinds: set[str]) -> bool:
    usual = one.kind in kinds and one.prior is Prior.USUAL
    return usual or one.kind == Kind.CONDITION_BY_DEFAULT.value


def total(priors: Iterable[Prior]) -> Prior:
    """How much several assumptions are altogether."""
    return Prior(min(sum(priors), Prior.DARING))


def signs_of(finding: Finding) -> Signs:
    """The signs of a finding that was told."""
    assumed = (Premise(one.kind, Prior[one.prior.upper()]) for one in finding.assumptions)
    return Signs(finding.code, tuple(assumed), frozenset(finding.signals))


@immutable
class Step:
    """One sign of a finding, what was counted of it, and what it adds to the log odds."""

    said: str
    counted: Counted


def probability(signs: Signs, counts: Counts | None = None) -> float:
    """How likely a finding with these signs is right; 1 where it is certain.

    Certain is only what assumes nothing, and of that what findings with the same signs leave no
    doubt of, errors of rules of which too few were read, and errors that the run of a program of
    one file raises: of many files one that is read otherwise than Python does is enough to be
    wrong. Other errors that assume nothing are at least likely, and so is what the run of a program
    shows, if only because options are what they are by default, loops of unknown length have more
    than one iteration, modules of unknown classes have parameters that learn, and data require no
    grad. What raises nothing is likely before enough findings of its rule were read, and what torch
    only warns of is never certain: the program goes on as before. That an input is stored on the
    context harms nothing by itself, whichever run shows it. That no step of an optimizer
    finds a gradient says more than that some of its parameters get none, which is all that was read
    of its rules.
    """
    counts = counts or load()
    chance = _chance(sum(step.counted.weight for step in steps(signs, counts)))
    own = WHOLE_PROGRAM in signs.signals and INPUT_ON_CONTEXT not in signs.signals
    if own and signs.rests_on_usual_runs:
        return max(chance, LIKELY)
    if signs.assumed:
        return chance
    warned = ONLY_WARNED in signs.signals
    raises = signs.code in counts.raising and not warned
    priced = signs.code in counts.priced and TRAINS_NOTHING not in signs.signals
    sure = chance >= (SURE_OF_ERRORS if raises else SURE) and not warned
    if (sure and priced) or (raises and (ONE_FILE in signs.signals or not priced)):
        return 1.0
    return max(chance, LIKELY) if own or raises or not priced else chance


def steps(signs: Signs, counts: Counts) -> Iterator[Step]:
    """What leads to the probability of a finding, sign by sign."""
    yield Step("every finding", counts.every)
    for group, name in signs.names():
        yield Step(f"{group.said} {name}", counts.of(group, name))


def share_with(one: Premise, counts: Counts) -> float:
    """How likely a finding is right that assumes this alone, whichever rule tells it."""
    alone = (Group.TOGETHER, total([one.prior]).label), (Group.KIND, one.kind)
    return _chance(counts.every.weight + sum(counts.of(*sign).weight for sign in alone))


def _chance(odds: float) -> float:
    return min(1 / (1 + math.exp(-odds)), MOST)

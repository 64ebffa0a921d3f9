"""Fits the weights of signs to labels: logistic regression with a penalty that keeps weights of
which little is known near where they began."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Prior
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.counts import Counted, Group
from autograd_lint.evidence.probability import WHOLE_PROGRAM, Signs
from autograd_lint.rules.registry import all_rules
from benchmarks.labels.reading import Learnt, is_package

Sign = tuple[Group, str]
HEAD = "# Written by `python -m benchmarks.labels fit` from labels, never by hand.\n"
EVERY = "every"
# Where weights begin: with nothing counted, one unusual assumption leaves a finding likely, and two
# of them, or a daring one, make it possible.
_BEGIN: dict[Sign | str, float] = {
    EVERY: 3.0,
    (Group.TOGETHER, Prior.USUAL.label): -0.3,
    (Group.TOGETHER, Prior.UNUSUAL.label): -1.3,
    (Group.TOGETHER, Prior.DARING.label): -5.0,
}
# Where a weight begins counts as much as ten labels, of which four in five are right, and a bug
# that a project has fixed as much as three findings: with these, more of such bugs stay likely than
# with other choices, and as much of what is likely is right. With five the fitting half, each code
# base judged by the others, is predicted as well, and the other half worse.
_LABELS = 10.0
_FIXED = 3.0
# What was certain or likely when it was read, and is told no more, counts a quarter, with what it
# assumed; what was certain counts for what its rule tells without an assumption alone. Where nobody
# has looked there are others like it: a fix that removes a wrong finding of one code base seldom
# removes one of another. Counted half, more of what is likely would be right, and fewer of the
# bugs that projects have fixed would be likely.
_GONE = 0.25
# A finding at a mistake that was put into real code is right; it counts a tenth: what is told of
# textbook mistakes says little of what authors do, but that such a finding is told at all.
_PLANTED = 0.1
_UNPARSED = "AG901"
_PULL = _LABELS * 0.8 * 0.2
# A sign that a single finding has keeps the weight that it began with: one label alone turns none.
_SINGLE = 1
_ROUNDS = 400
# Signals that can only speak for a finding.
_SPEAK_FOR = {(Group.SIGNAL, name) for name in (WHOLE_PROGRAM, "callers-pass-computed")}
ENOUGH = 3  # causes that were read say something of a rule


@dataclass(frozen=True)
class Example:
    """The signs of a finding, how right it was, how many findings it counts for, and whether
    somebody has read it."""

    signs: tuple[Sign | str, ...]
    share: float
    weight: float = 1.0
    read: bool = True


def example(signs: Signs, share: float, *, fixed: bool = False, alike: int = 1) -> Example:
    """A labelled finding as an example to fit to; `alike` are findings of the same cause, which
    count as one together."""
    return Example((EVERY, *signs.names()), share, _FIXED if fixed else 1 / alike)


def as_toml(
    found: Sequence[Learnt],
    gone: Sequence[Learnt],
    read: Counter[str],
    planted: Sequence[Signs] = (),
) -> str:
    """The counts and weights that suit some labels, as the package reads them.

    Of `found` the findings are still told, of `gone` not; `read` says how many causes of each rule
    were ever read. `planted` are the signs of findings at mistakes that were put into code.
    """
    alike = Counter(one.label.cause for one in (*found, *gone))
    told = [
        example(one.signs, label.share, fixed=label.fixed, alike=alike[label.cause])
        for one in found
        for label in (one.label,)
    ]
    run = {installed: _share_of_runs(found, installed=installed) for installed in (True, False)}
    others = [
        example
        for one in gone
        for weight in (_GONE / alike[one.label.cause],)
        for example in _gone(one, weight, run[is_package(one.label.spot.base)])
    ]
    put_in = [Example((EVERY, *signs.names()), 1.0, _PLANTED, read=False) for signs in planted]
    fitted = fit([*told, *others, *put_in])
    lines = [HEAD, "[every]", *_numbers(fitted[EVERY]), "", "[rules]", *_rules(read)]
    signs = [sign for sign in fitted if isinstance(sign, tuple)]
    for sign in sorted(signs, key=lambda one: (one[0].value, one[1])):
        lines += ["", f"[{sign[0].value}.{sign[1]}]", *_numbers(fitted[sign])]
    return "\n".join(lines) + "\n"


def _gone(one: Learnt, weight: float, run: float) -> Iterator[Example]:
    """A finding that is told no more. Of what was certain it was not kept whether the run of a
    program showed it: it counts as both, as often as what is told is shown so (`run`)."""
    signs, share = one.signs, one.label.share
    known = bool(signs.assumed) or not run
    yield Example(_of_gone(signs), share, weight if known else weight * (1 - run))
    if not known:
        shown = Signs(signs.code, (), signs.signals | {WHOLE_PROGRAM})
        yield Example(_of_gone(shown), share, weight * run, read=False)


def _share_of_runs(found: Sequence[Learnt], *, installed: bool) -> float:
    """How much of what assumes nothing the run of a program shows, by cause, in packages or in
    programs; what cannot be parsed is never run."""
    outright = [one for one in found if not one.signs.assumed and not one.label.fixed]
    causes = {
        (one.label.cause, WHOLE_PROGRAM in one.signs.signals)
        for one in outright
        if is_package(one.label.spot.base) is installed and one.signs.code != _UNPARSED
    }
    return sum(run for _, run in causes) / len(causes) if causes else 0.0


def _of_gone(signs: Signs) -> tuple[Sign | str, ...]:
    """The signs of what is told no more; of what was certain all but that of its rule."""
    outright = not signs.assumed
    return (EVERY, *(one for one in signs.names() if not (outright and one[0] is Group.RULE)))


def _rules(read: Counter[str]) -> Iterator[str]:
    """The rules of which enough was read, and which of all tell of what raises an error."""
    priced = sorted(code for code, times in read.items() if times >= ENOUGH)
    raising = sorted(one.code for one in all_rules() if not _is_silent(one.kinds))
    yield f"priced = {json.dumps(priced)}"
    yield f"raising = {json.dumps(raising)}"


def _is_silent(kinds: Collection[object]) -> bool:
    return bool(kinds) and all(isinstance(kind, Pitfall) for kind in kinds)


def _numbers(counted: Counted) -> list[str]:
    return [f"{name} = {getattr(counted, name):g}" for name in ("right", "wrong", "weight")]


def fit(examples: Sequence[Example]) -> dict[Sign | str, Counted]:
    """What was counted of each sign, with the weight that suits the examples best.

    One weight after the other is moved to where its slope is zero (Newton), until none moves; those
    of signs that a single finding has stay.
    """
    having: dict[Sign | str, list[Example]] = defaultdict(list)
    for one in examples:
        for sign in one.signs:
            having[sign].append(one)
    weights = {**_BEGIN, **{sign: _BEGIN.get(sign, 0.0) for sign in having}}
    moving = [sign for sign in weights if sign == EVERY or len(having[sign]) > _SINGLE]
    for _ in range(_ROUNDS):
        moved = max(abs(_move(sign, weights, having[sign])) for sign in moving)
        if moved < 1e-5:
            break
    return {sign: _counted(having[sign], weight) for sign, weight in weights.items()}


def _move(sign: Sign | str, weights: dict[Sign | str, float], having: Iterable[Example]) -> float:
    """Moves one weight a step, and says how far.

    That of a kind is never more than nothing, that of what can only speak for a finding never less.
    """
    slope, bend = (_BEGIN.get(sign, 0.0) - weights[sign]) * _PULL, _PULL
    for one in having:
        chance = 1 / (1 + math.exp(-sum(weights[other] for other in one.signs)))
        slope += one.weight * (one.share - chance)
        bend += one.weight * chance * (1 - chance)
    before = weights[sign]
    weights[sign] += max(-0.5, min(0.5, slope / bend))
    if isinstance(sign, tuple) and sign[0] is Group.KIND:
        weights[sign] = min(weights[sign], 0.0)
    if sign in _SPEAK_FOR:
        weights[sign] = max(weights[sign], 0.0)
    return weights[sign] - before


def _counted(having: Sequence[Example], weight: float) -> Counted:
    shares = [one.share for one in having if one.read]
    right = sum(shares)
    return Counted(right, len(shares) - right, round(weight, 3))

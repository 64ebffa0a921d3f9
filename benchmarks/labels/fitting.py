"""Fits the weights of signs to labels: logistic regression with a penalty that keeps weights of
which little is known near where they began."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Prior
from autograd_lint.evidence.counts import Counted, Group
from autograd_lint.evidence.probability import Signs
from benchmarks.labels.reading import Learnt

Sign = tuple[Group, str]
HEAD = "# Written by `python -m benchmarks.labels fit` from labels, never by hand.\n"
EVERY = "every"
# Where weights begin: with nothing counted, one unusual assumption leaves a finding likely, and two
# of them, or a daring one, make it possible.
_BEGIN: dict[Sign | str, float] = {
    EVERY: 3.0,
    (Group.PRIOR, Prior.USUAL.label): -0.15,
    (Group.PRIOR, Prior.UNUSUAL.label): -1.0,
    (Group.PRIOR, Prior.DARING.label): -3.0,
    (Group.PRIOR, Prior.DATA.label): -3.5,
}
# Where a weight begins counts as much as this many labels, of which four in five are right.
_LABELS = 20
_PULL = _LABELS * 0.8 * 0.2
_ROUNDS = 400


@dataclass(frozen=True)
class Example:
    """How often a finding has each sign, and how right it was."""

    signs: Counter[Sign | str]
    share: float


def as_toml(found: Sequence[Learnt]) -> str:
    """The counts and weights that suit some labels, as the package reads them."""
    fitted = fit([example(one.signs, one.label.share) for one in found])
    lines = [HEAD, "[every]", *_numbers(fitted[EVERY])]
    signs = [sign for sign in fitted if isinstance(sign, tuple)]
    for sign in sorted(signs, key=lambda one: (one[0].value, one[1])):
        lines += ["", f"[{sign[0].value}.{sign[1]}]", *_numbers(fitted[sign])]
    return "\n".join(lines) + "\n"


def _numbers(counted: Counted) -> list[str]:
    return [f"{name} = {getattr(counted, name):g}" for name in ("right", "wrong", "weight")]


def example(signs: Signs, share: float) -> Example:
    """A labelled finding as an example to fit to."""
    found: Counter[Sign | str] = Counter({EVERY: 1, (Group.RULE, signs.code): 1})
    for one in signs.assumed:
        found[Group.PRIOR, one.prior.label] += 1
        found[Group.KIND, one.kind] += 1
    found.update((Group.SIGNAL, name) for name in signs.signals)
    return Example(found, share)


def fit(examples: Sequence[Example]) -> dict[Sign | str, Counted]:
    """What was counted of each sign, with the weight that suits the examples best.

    One weight after the other is moved to where its slope is zero (Newton), until none moves.
    """
    having: dict[Sign | str, list[Example]] = defaultdict(list)
    for one in examples:
        for sign in one.signs:
            having[sign].append(one)
    weights = {**_BEGIN, **{sign: _BEGIN.get(sign, 0.0) for sign in having}}
    for _ in range(_ROUNDS):
        moved = max(abs(_move(sign, weights, having[sign])) for sign in list(weights))
        if moved < 1e-5:
            break
    return {sign: _counted(having[sign], weight) for sign, weight in weights.items()}


def _move(sign: Sign | str, weights: dict[Sign | str, float], having: Iterable[Example]) -> float:
    """Moves one weight a step, and says how far."""
    slope, bend = (_BEGIN.get(sign, 0.0) - weights[sign]) * _PULL, _PULL
    for one in having:
        times = one.signs[sign]
        odds = sum(weights[other] * count for other, count in one.signs.items())
        chance = 1 / (1 + math.exp(-odds))
        slope += times * (one.share - chance)
        bend += times**2 * chance * (1 - chance)
    step = max(-0.5, min(0.5, slope / bend))
    weights[sign] += step
    return step


def _counted(having: Sequence[Example], weight: float) -> Counted:
    right = sum(one.share for one in having)
    return Counted(right, len(having) - right, round(weight, 3))

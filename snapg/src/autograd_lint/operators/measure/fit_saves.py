"""What a form saves, and when: the simplest condition that explains which bumps raised."""

from collections.abc import Sequence

from autograd_lint.operators.facts import Save
from autograd_lint.operators.measure.trials import Case, Trial

# What so many of the cases agree in is a rule, though strange shapes may be exceptions.
_ENOUGH = 0.8

# Which keys required grad, and whether backward raised.
_Sight = tuple[frozenset[str], bool | None]


def fit_saves(
    cases: Sequence[Case], differentiable: frozenset[str]
) -> tuple[tuple[Save, ...], tuple[str, ...]]:
    """The saves of all these cases, and the keys for which no condition explains them all."""
    walked = [[trial for trial in case.trials if trial.freed is not None] for case in cases]
    keys = sorted({key for trials in walked for trial in trials for key in trial.raised})
    saves, doubts = [], []
    for key in keys:
        sights = [_sights(key, trials, differentiable) for trials in walked]
        save, explained = _save(key, [each for each in sights if each])
        saves += [save] if save else []
        doubts += [] if explained else [f"save {key}"]
    return tuple(saves), tuple(doubts)


def _sights(key: str, trials: Sequence[Trial], differentiable: frozenset[str]) -> list[_Sight]:
    return [
        (trial.grad & differentiable, trial.raised[key]) for trial in trials if key in trial.raised
    ]


def _save(key: str, cases: Sequence[list[_Sight]]) -> tuple[Save | None, bool]:
    """The save of all cases, and whether it explains all; else that of most."""
    save, explained = _of_sights(key, [sight for sights in cases for sight in sights])
    return (save, True) if explained else (_of_most(key, cases), False)


def _of_sights(key: str, sights: Sequence[_Sight]) -> tuple[Save | None, bool]:
    if not any(raised is not False for _, raised in sights):
        return None, True
    if all(raised for _, raised in sights):
        return Save(key), True
    innocent = frozenset().union(*(grad for grad, raised in sights if raised is False))
    guilty = [grad for grad, raised in sights if raised]
    needs = frozenset().union(*guilty) - innocent
    save = Save(key, _fewest(needs, guilty))
    return save, all(_predicts(save, sight) for sight in sights)


def _of_most(key: str, cases: Sequence[list[_Sight]]) -> Save:
    """The save that explains most cases; it is sure if those are nearly all."""
    single = (_of_sights(key, sights) for sights in cases)
    candidates = {save for save, explained in single if explained}
    saves = sorted((each for each in candidates if each), key=lambda save: sorted(save.needs or ()))
    if not saves:
        return Save(key, sure=False)
    shares = [sum(_explains(save, sights) for sights in cases) / len(cases) for save in saves]
    share, save = max(zip(shares, saves, strict=True), key=lambda pair: pair[0])
    return Save(key, save.needs, sure=share >= _ENOUGH)


def _explains(save: Save, sights: Sequence[_Sight]) -> bool:
    return all(_predicts(save, sight) for sight in sights)


def _predicts(save: Save, sight: _Sight) -> bool:
    grad, raised = sight
    return raised == (save.needs is None or bool(grad & save.needs))


def _fewest(needs: frozenset[str], raising: Sequence[frozenset[str]]) -> frozenset[str]:
    """A smaller set of keys that still explains every trial that raised; arguments stay longest."""
    for key in sorted(needs, key=lambda key: (key.isdigit(), -len(key), key)):
        fewer = needs - {key}
        if all(grad & fewer for grad in raising):
            needs = fewer
    return needs

"""One form for many trials, and how badly it fits them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograd_lint.operators.facts import Alias, Form, Output, Save
from autograd_lint.operators.measure.trials import Case, Seen, Trial


@dataclass(frozen=True)
class Fit:
    """A form, and the facts in which the trials behind it disagree."""

    form: Form
    conflicts: tuple[str, ...]


def fit(cases: Sequence[Case]) -> Fit:
    """The form that describes all trials of these cases best."""
    trials = [trial for case in cases for trial in case.trials]
    differentiable = _differentiable(trials)
    walked = [trial for trial in trials if trial.freed is not None]
    saves, doubts = _saves(walked, differentiable)
    modifies, bumps, writes = _modifies(trials)
    outputs, odd = _outputs(cases)
    frees, freeing = _frees(walked)
    form = Form((), saves, frees, modifies, bumps, differentiable, outputs)
    return Fit(form, (*doubts, *writes, *odd, *freeing))


def _differentiable(trials: Iterable[Trial]) -> frozenset[str]:
    alone = (trial.grad for trial in trials if len(trial.grad) == 1 and trial.differentiable)
    return frozenset().union(*alone, *(trial.reached for trial in trials))


def _saves(
    trials: Sequence[Trial], differentiable: frozenset[str]
) -> tuple[tuple[Save, ...], tuple[str, ...]]:
    keys = sorted({key for trial in trials for key in trial.raised})
    fitted = [_save(key, trials, differentiable) for key in keys]
    saves = tuple(save for save in fitted if save is not None)
    return saves, tuple(f"save {save.key}" for save in saves if not save.sure)


def _save(key: str, trials: Sequence[Trial], differentiable: frozenset[str]) -> Save | None:
    seen = [
        (trial.grad & differentiable, trial.raised[key]) for trial in trials if key in trial.raised
    ]
    if all(raised is False for _, raised in seen):
        return None
    if all(raised is True for _, raised in seen):
        return Save(key)
    innocent = frozenset().union(*(grad for grad, raised in seen if raised is False))
    needs = frozenset().union(*(grad for grad, raised in seen if raised)) - innocent
    if not all(raised is not None and raised == bool(grad & needs) for grad, raised in seen):
        return Save(key, sure=False)
    return Save(key, _fewest(needs, [grad for grad, raised in seen if raised]))


def _fewest(needs: frozenset[str], raising: Sequence[frozenset[str]]) -> frozenset[str]:
    """A smaller set of keys that still explains every trial that raised; arguments stay longest."""
    for key in sorted(needs, key=lambda key: (key.isdigit(), -len(key), key)):
        fewer = needs - {key}
        if all(grad & fewer for grad in raising):
            needs = fewer
    return needs


def _frees(trials: Sequence[Trial]) -> tuple[bool, tuple[str, ...]]:
    if not trials:
        return False, ()
    explained = [any(trial.raised.values()) for trial in trials]
    freed = [bool(trial.freed) for trial in trials]
    if all(freed):
        return True, ()
    if all(one == other for one, other in zip(freed, explained, strict=True)):
        return False, ()
    return False, ("frees",)


def _modifies(trials: Sequence[Trial]) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    modified = frozenset().union(*(trial.modified for trial in trials))
    silent = frozenset().union(*(trial.silent for trial in trials)) - modified
    steady = all(trial.modified == modified for trial in trials)
    conflicts = () if steady or not modified else ("modifies",)
    if modified or not silent:
        return tuple(sorted(modified)), True, conflicts
    return tuple(sorted(silent)), False, conflicts


def _outputs(cases: Sequence[Case]) -> tuple[tuple[Output, ...], tuple[str, ...]]:
    telling = [trial for case in cases for trial in _telling(case)]
    counts = {len(trial.results) for trial in telling}
    if any(case.listed for case in cases):
        merged = _output([seen for trial in telling for seen in trial.results])
        return ((merged[0],), merged[1]) if merged else ((), ())
    columns = [[trial.results[place] for trial in telling] for place in range(min(counts))]
    found = [pair for pair in map(_output, columns) if pair]
    conflicts = [f"out{place} {odd}" for place, pair in enumerate(found) for odd in pair[1]]
    counted = ("count",) if len(counts) > 1 else ()
    return tuple(pair[0] for pair in found), (*counted, *conflicts)


def _telling(case: Case) -> list[Trial]:
    """The trials that tell of results: those with grad, else all."""
    found = [trial for trial in case.trials if trial.differentiable]
    return found or list(case.trials)


def _output(seen: Sequence[Seen]) -> tuple[Output, tuple[str, ...]] | None:
    if not seen:
        return None
    conflicts: list[str] = []
    if len({each.requires_grad for each in seen}) > 1:
        conflicts.append("differentiable")
    dtypes = {each.dtype for each in seen}
    if len(dtypes) > 1:
        conflicts.append("dtype")
    shapes = {each.shape for each in seen if each.shape}
    if len(shapes) > 1 and "scalar" in shapes:
        conflicts.append("shape")
    alias, doubtful = _alias(seen)
    if doubtful:
        conflicts.append("alias")
    return (
        Output(
            differentiable=any(each.requires_grad for each in seen),
            dtype=dtypes.pop() if len(dtypes) == 1 else "unknown",
            shape=shapes.pop() if len(shapes) == 1 else "other",
            alias=alias,
        ),
        tuple(conflicts),
    )


def _alias(seen: Sequence[Seen]) -> tuple[Alias | None, bool]:
    found = [each.alias for each in seen]
    shared = [alias for alias in found if alias is not None]
    if not shared:
        return None, False
    usual = max(set(shared), key=lambda alias: (shared.count(alias), alias[0], alias[1].value))
    sure = all(alias == usual for alias in found)
    return Alias(usual[0], usual[1], sure), not sure

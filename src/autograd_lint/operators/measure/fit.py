"""One form for many trials, and how badly it fits them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_lint.operators.facts import Form, Gap, GapKind
from autograd_lint.operators.measure.fit_outputs import fit_outputs
from autograd_lint.operators.measure.fit_saves import fit_saves
from autograd_lint.operators.measure.trials import Case, Trial


@dataclass(frozen=True)
class Fit:
    """A form, and the facts in which the trials behind it disagree."""

    form: Form
    conflicts: tuple[str, ...]


def fit(cases: Sequence[Case]) -> Fit:
    """The form that describes all trials of these cases best."""
    trials = [trial for case in cases for trial in case.trials]
    differentiable = _differentiable(trials)
    saves, doubts = fit_saves(cases, differentiable)
    modifies, unversioned, bumps, writes = _modifies(trials)
    outputs, odd = fit_outputs(cases)
    frees, freeing = _frees([trial for trial in trials if trial.freed is not None])
    gaps = (*_forbidden(cases), *_gaps(trials, differentiable))
    unsure = (f"{gap.key} gap" for gap in gaps if not gap.sure)
    curved = any(trial.curved for trial in trials)
    form = Form(
        (), saves, frees, modifies, bumps, differentiable, outputs, gaps, curved, unversioned
    )
    return Fit(form, (*doubts, *writes, *odd, *freeing, *unsure))


def _differentiable(trials: Iterable[Trial]) -> frozenset[str]:
    alone = (trial.grad for trial in trials if len(trial.grad) == 1 and trial.differentiable)
    return frozenset().union(*alone, *(trial.reached for trial in trials))


def _forbidden(cases: Sequence[Case]) -> Iterator[Gap]:
    """The arguments that some case refuses for requiring grad; sure where no case lets them."""
    taken = frozenset(key for case in cases for trial in case.trials for key in trial.grad)
    for key in sorted(frozenset().union(*(case.refused for case in cases))):
        yield Gap(key, GapKind.FORBIDDEN, sure=key not in taken)


def _gaps(trials: Iterable[Trial], differentiable: frozenset[str]) -> Iterator[Gap]:
    """What is the matter with gradients that were asked for alone, as most of the trials tell."""
    alone = [trial for trial in trials if len(trial.grad) == 1 and trial.differentiable]
    for key in sorted(differentiable):
        seen = [trial.gap for trial in alone if key in trial.grad]
        for gap, count in Counter(gap for gap in seen if gap is not None).most_common(1):
            yield Gap(key, gap, sure=count == len(seen))


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


def _modifies(
    trials: Sequence[Trial],
) -> tuple[tuple[str, ...], tuple[str, ...], bool, tuple[str, ...]]:
    """What is written, what is besides behind the counter's back, whether the former is counted,
    and in what the trials disagree."""
    modified = frozenset().union(*(trial.modified for trial in trials))
    silent = frozenset().union(*(trial.silent for trial in trials)) - modified
    bumps = bool(modified) or not silent
    steady = all(
        (trial.modified, trial.silent - modified) == (modified, silent) for trial in trials
    )
    unversioned = tuple(sorted(silent)) if bumps else ()
    written = tuple(sorted(modified if bumps else silent))
    return written, unversioned, bumps, () if steady else ("modifies",)

"""The results of a form, from what was seen of results."""

from collections.abc import Sequence

from autograd_lint.operators.facts import Alias, Output
from autograd_lint.operators.measure.trials import Case, Seen, Trial


def fit_outputs(cases: Sequence[Case]) -> tuple[tuple[Output, ...], tuple[str, ...]]:
    """The results of all these cases, and what they disagree in."""
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
    """The trials that tell of results: those with a graph, else with grad, else all."""
    graphs = [trial for trial in case.trials if trial.differentiable]
    return graphs or [trial for trial in case.trials if trial.grad] or list(case.trials)


def _output(seen: Sequence[Seen]) -> tuple[Output, tuple[str, ...]] | None:
    if not seen:
        return None
    conflicts: list[str] = []
    if len({each.requires_grad for each in seen}) > 1:
        conflicts.append("differentiable")
    dtypes = {each.dtype for each in seen}
    if len(dtypes) > 1:
        conflicts.append("dtype")
    shapes = _shapes(seen)
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


def _shapes(seen: Sequence[Seen]) -> set[str]:
    """The shapes seen; a number made of vectors counts only where nothing tells more."""
    shapes = {each.shape for each in seen if each.shape}
    telling = shapes - {"scalar?"}
    return telling or ({"scalar"} if shapes else {"broadcast"})


def _alias(seen: Sequence[Seen]) -> tuple[Alias | None, bool]:
    found = [each.alias for each in seen]
    shared = [alias for alias in found if alias is not None]
    if not shared:
        return None, False
    usual = max(set(shared), key=lambda alias: (shared.count(alias), alias[0], alias[1].value))
    sure = all(alias == usual for alias in found)
    return Alias(usual[0], usual[1], sure), not sure

"""In every call of a recorded run, what must require grad did not.

def normalize(x):               # told: `x` requires grad
    return x.exp().mul_(2)

# facts of a run: `normalize` was called 12 times, `x` never required grad
"""

from __future__ import annotations

from autograd_lint.evidence.assumption_origin import given_names
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.recorded_calls import recorded_calls
from autograd_lint.observed.values import Named, Plain, Tensor, Value


def _speaks(case: Case) -> bool:
    names = given_names(case.fault)
    if not (case.rests_on_given and names):
        return False
    calls = recorded_calls(case.source, case.project).get(case.owner.path, ())
    return bool(calls) and all(_is_data(one.arguments, names) for one in calls)


def _is_data(arguments: Named, names: frozenset[str]) -> bool:
    """Whether a call was given something for each name, and nothing that required grad."""
    values = [arguments.get(name) for name in names]
    return all(value is not None and _without_grad(value) for value in values)


def _without_grad(value: Value) -> bool:
    if isinstance(value, Tensor):
        return not value.requires_grad
    return isinstance(value, Plain) and value.kind != "other"


SIGNAL = Signal("recorded-as-data", _speaks, data=True)

"""What is modified in place is made for the call by all callers of the project: nobody reads it.

smooth(signal, taps, window.clone())      # told of `smooth`, which modifies its window

So it is with an option that is left out wherever the project calls the function.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.probability import WHOLE_PROGRAM
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import Callers, Owner, call_of, innermost_function
from autograd_lint.facts.signatures import defaults_of

_MADE = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Constant)


def _speaks(case: Case) -> bool:
    fault, owner = case.fault, case.owner
    if fault.kind is not Pitfall.TAKEN_FOR_OWN or fault.tensor is None or owner.function is None:
        return False
    sites = Callers(case.project).sites(owner) or []
    calls = [call_of(site) for site in sites]
    given = [_given(call, owner, fault.tensor) for call in calls if call is not None]
    passed = [one for one in given if one is not None]
    if not passed:
        function = innermost_function(case.source, case.row) or owner.function
        is_option = fault.tensor in defaults_of(function)
        return is_option and WHOLE_PROGRAM not in fault.signals and not _is_offered(case)
    return all(isinstance(one, _MADE) for one in passed)


def _is_offered(case: Case) -> bool:
    """Whether others may give the function what the project does not."""
    names = (case.owner.name, *((case.owner.cls.name,) if case.owner.cls is not None else ()))
    return any(map(case.project.offers, names))


def _given(call: ast.Call, owner: Owner, name: str) -> ast.expr | None:
    """What a call gives for a parameter; None where it leaves it out."""
    named = {one.arg: one.value for one in call.keywords}
    if name in named or owner.function is None:
        return named.get(name)
    names = parameters_of(owner.function)[0 if owner.cls is None else 1 :]
    return dict(zip(names, call.args, strict=False)).get(name)


SIGNAL = Signal("callers-pass-temporaries", _speaks, assumes=Kind.READ_BY_CALLER, about=name_of)

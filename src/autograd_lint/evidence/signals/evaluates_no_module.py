"""What is evaluated may be no module: a class of the project that is none has an `eval()` as well.

class Transform:                    # fills in what is there in training alone
    def eval(self): ...
    def __call__(self, sentences): ...

transform.eval()
fields = transform(sentences)       # told: `transform` has parameters that require grad
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import EVALUATED, Pitfall
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.body import method_of
from autograd_lint.facts.class_kinds import is_module
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def _speaks(case: Case) -> bool:
    fault = case.fault
    if fault.kind is not Pitfall.EVALUATION_BUILDS_GRAPHS and fault.detail != EVALUATED:
        return False
    given = (why for why in fault.assumptions if why.given)
    if not any(why.kind is Kind.HAS_REQUIRING_PARAMETERS for why in given):
        return False
    return any(map(_has_evaluated, case.project.speaking("eval")))


@query
def _has_evaluated(source: Source) -> bool:
    """Whether a class of a file that is no module can be evaluated, and called."""
    return any(
        method_of(one, "eval") is not None and method_of(one, "__call__") is not None
        for one in source.each(ast.ClassDef)
        if not is_module(one)
    )


SIGNAL = Signal("evaluates-no-module", _speaks, data=True)

"""An evaluation that is in no loop of its function: one result of a helper, rather than a whole
data set.

def predicted(model, x):
    model.eval()
    return model(x)             # whoever calls it may have turned grad mode off, or want the graph
"""

from __future__ import annotations

import ast

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.project.nodes import walk

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.GeneratorExp, ast.ListComp, ast.DictComp)


def _speaks(case: Case) -> bool:
    function = case.owner.function
    if case.fault.kind is not Pitfall.EVALUATION_BUILDS_GRAPHS or function is None:
        return False
    return not _loops_at(function, case.row)


def _loops_at(function: Definition, row: int) -> bool:
    """Whether a row of a function is in a loop."""
    loops = (part for part in walk(function) if isinstance(part, _LOOPS))
    return any(part.lineno <= row <= (part.end_lineno or row) for part in loops)


SIGNAL = Signal("outside-loops", _speaks)

"""It stands in a method by which a trained model is used: such methods see to grad mode themselves.

class Net(nn.Module):
    def predict(self, x):
        first, second = self.layer(x).unbind()
        first *= 2      # refused with grad mode on
        return first
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import RECORDED, Case, Signal
from autograd_lint.libraries.torch.modules.uses import USING
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_NAMES = USING - {"sample"}


def _speaks(case: Case) -> bool:
    return case.fault.kind in RECORDED and any(case.row in rows for rows in _using(case.source))


@query
def _using(source: Source) -> list[range]:
    """The rows of the functions by which a trained model is used."""
    functions = [one for one in ast.walk(source.tree) if isinstance(one, ast.FunctionDef)]
    found = [one for one in functions if one.name in _NAMES]
    return [range(one.lineno, (one.end_lineno or one.lineno) + 1) for one in found]


SIGNAL = Signal("uses-trained-model", _speaks, Kind.GRAD_MODE_ON_FOR_USE)

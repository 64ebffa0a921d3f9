"""An object is made of copies of another's parts: it is there to be exported or run, not trained.

class Exported(nn.Module):
    def __init__(self, policy):
        super().__init__()
        self.rnn = copy.deepcopy(policy.rnn)
        self.head = copy.deepcopy(policy.head)
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.facts.body import method_of, parameters_of
from autograd_lint.project.code import code_of, root_of
from autograd_lint.project.query import query

_FEW = 2  # copied parts: one alone may be a target or an average of what is trained


def _speaks(case: Case) -> bool:
    cls = case.owner.cls
    if cls is None or case.project.offers(cls.name):
        return False
    trained = any(why.called or why.kind is Kind.RESULT_TRAINED for why in case.fault.assumptions)
    return trained and _copies(cls) >= _FEW


@query
def _copies(cls: ast.AST) -> int:
    """How many attributes the constructor of a class makes of copies of parts of its arguments."""
    making = method_of(cls, "__init__")
    if making is None:
        return 0
    assigned = [one for one in ast.walk(making) if isinstance(one, ast.Assign)]
    given = set(parameters_of(making)) - {"self"}
    return sum(_is_copy(one.value, given) for one in assigned)


def _is_copy(value: ast.expr, given: set[str]) -> bool:
    """Whether an expression is a deep copy of a part of something given."""
    if not isinstance(value, ast.Call) or code_of(value.func).rpartition(".")[2] != "deepcopy":
        return False
    copied = value.args[0] if value.args else None
    return isinstance(copied, ast.Attribute) and root_of(copied) in given


SIGNAL = Signal("made-of-copies", _speaks, Kind.TRAINED_THOUGH_COPIED, about=name_of)

"""What a module does not register is differentiated, or optimized, by its name.

gradients = torch.autograd.grad(loss, [policy.context])  # told: `self.context = torch.zeros(2)`
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention


def _speaks(case: Case) -> bool:
    if case.fault.kind is not Pitfall.UNREGISTERED or case.fault.tensor is None:
        return False
    name = case.fault.tensor.removeprefix("self.")
    return any(map(_is_learnt, case.project.mentions(name) or ()))


def _is_learnt(site: Mention) -> bool:
    """Whether a mention is an argument of `autograd.grad`, or of what is given a learning rate."""
    calls = [one for one in site.around if isinstance(one, ast.Call) and one.func is not site.node]
    return isinstance(site.node, ast.Attribute) and any(
        code_of(call.func).rpartition(".")[2] == "grad"
        or any(keyword.arg == "lr" for keyword in call.keywords)
        for call in calls
    )


SIGNAL = Signal("differentiated-by-name", _speaks, Kind.MEANT_TO_LEARN, about=name_of)

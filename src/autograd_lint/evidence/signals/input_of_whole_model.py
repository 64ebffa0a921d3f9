"""What must require grad is the input of a model that is no part of another one.

def main():
    net = Net()     # the only place that makes a `Net`
    net(torch.ones(2, 2)).sum().backward()
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Callers, Owner, Use
from autograd_lint.facts.class_kinds import is_named_module


def _speaks(case: Case) -> bool:
    cls = case.owner.cls
    if not case.needs_given or cls is None or not is_named_module(cls):
        return False
    made = Callers(case.project, made=True)
    return made.use(Owner(case.source, None, cls)) is Use.UNTRAINED


SIGNAL = Signal("input-of-whole-model", _speaks, data=True)

"""Gradients that a step leaves are cleared where the project calls the step.

class Agent:
    def learn(self, batch):
        self.loss(batch).backward()     # leaves gradients
        self.optimizer.step()

agent.optimizer.zero_grad()     # in another file
agent.learn(batch)
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.clearing import is_cleared_by_callers
from autograd_lint.evidence.signals.base import Case, Signal, name_of


def _speaks(case: Case) -> bool:
    return is_cleared_by_callers(case.fault, case.owner, case.project)


SIGNAL = Signal("cleared-by-callers", _speaks, Kind.CALLERS_CLEAR_NOTHING, about=name_of)

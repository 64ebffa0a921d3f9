"""Options that are set as an attribute of an optimizer, which reads its groups alone.

optimizer.lr = 0.5 * rate
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import partial

from torch.optim import Optimizer

from autograd_lint.checkers.rates_without_effect import is_read
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.source import judged
from autograd_lint.project.source import Source

_AGAIN = 2  # steps in which an attribute says something else than the groups


class StrayOptions(Family):
    """Compares the attributes of torch's own optimizers with the options of their groups."""

    __slots__ = ("_stray", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._stray: dict[int, tuple[int, frozenset[str]]] = {}  # by the optimizer's number
        self._times: Counter[str] = Counter()

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step, with the options of its groups."""
        optimizer = step.optimizer
        held = vars(optimizer)
        known = self._stray.get(id(optimizer))
        if known is None or known[0] != len(held):
            known = self._stray[id(optimizer)] = len(held), _stray_in(optimizer)
        for name in known[1]:
            if all(group.get(name) != held.get(name) for group in optimizer.param_groups):
                self._times[name] += 1
                if self._times[name] == _AGAIN:
                    self._tell(name)

    def _tell(self, name: str) -> None:
        """Where does the program set an attribute of this name, and reads it nowhere?"""
        for filename in sorted(self._told.sites.files()):
            for fault in judged(partial(_settings, name), filename):
                self._told.tell(Pitfall.RATE_WITHOUT_EFFECT, fault.place, tensor=fault.tensor)


def _stray_in(optimizer: Optimizer) -> frozenset[str]:
    """The attributes of one of torch's optimizers that are called like its options."""
    is_torchs = type(optimizer).__module__.startswith("torch.optim")
    return frozenset(vars(optimizer)) & frozenset(optimizer.defaults if is_torchs else ())


def _settings(name: str, source: Source) -> Iterator[Fault]:
    """Where a file sets an attribute of this name of what is not `self`, and reads it nowhere."""
    stored = (node for node in source.each(ast.Attribute) if isinstance(node.ctx, ast.Store))
    for node in stored:
        is_another = node.attr == name and ast.unparse(node.value) != "self"
        if is_another and not is_read(source, node):
            place, tensor = source.place(node), ast.unparse(node)
            yield Fault(Pitfall.RATE_WITHOUT_EFFECT, place, tensor=tensor)

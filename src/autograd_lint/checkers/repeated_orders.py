"""Distributed samplers that are never told the epoch: each epoch goes through the same order.

sampler = DistributedSampler(data)
loader = DataLoader(data, sampler=sampler)
for epoch in range(epochs):
    for x, y in loader:            # without sampler.set_epoch(epoch)
        train(model, x, y)

Source: `DistributedSampler.__iter__` in torch/utils/data/distributed.py seeds its shuffle with
`self.seed + self.epoch`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.effects import trains_in
from autograd_lint.libraries.torch.training.datasets import LOADER, SAMPLER
from autograd_lint.places import Place
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import IterationBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Value

TOLD = "set_epoch"
YIELDS = (ast.Yield, ast.YieldFrom)


@dataclass(slots=True, eq=False, repr=False)
class RepeatedOrders(Checker):
    """How often each loop has trained with each loader, during which call of a harness."""

    begun: set[tuple[int, int, int]] = field(default_factory=set)
    noted: set[Place] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, IterationBegun, cls.iteration_begun)

    def iteration_begun(self, interp: Interpreter, event: IterationBegun) -> None:
        """A loop begins: does it train with a loader once more, in the same order?"""
        sampler, source = _sampler(event.sequence), interp.frame.source
        if sampler is None or sampler.made_at is None:
            return
        loop = _loops(source).get(id(event.node))
        sources = [interp.source, *(frame.source for frame in interp.frames)]
        home = next((one for one in sources if one.holds(sampler.made_at)), None)
        if loop is None or home is None:
            return
        if not trains_in(source, loop) and loop not in _endless(source):
            return
        if any(TOLD in one.text for one in sources):
            return
        key = id(event.sequence), id(loop), id(interp.harness_call)
        made = home.place(sampler.made_at)
        if key in self.begun and made not in self.noted:
            self.noted.add(made)
            needed = Needed(interp.place(event.node), "for")
            note(interp, Pitfall.ORDER_REPEATED, made, needed=needed)
        self.begun.add(key)


@query
def _loops(source: Source) -> dict[int, ast.For]:
    """The loops of a file, by the nodes of what they go through: `enumerate(loader)`, and `loader`
    in it."""
    loops = source.each(ast.For)
    return {id(node): loop for loop in loops for node in walk(loop.iter)}


@query
def _endless(source: Source) -> frozenset[ast.For]:
    """The loops of generators that hand out what a loader has again and again, as a training
    takes it."""
    around = (one for one in source.each(ast.While) if _is_true(one.test))
    loops = (part for one in around for part in ast.walk(one) if isinstance(part, ast.For))
    return frozenset(loop for loop in loops if any(isinstance(x, YIELDS) for x in ast.walk(loop)))


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _sampler(loader: Value) -> Instance | None:
    """The distributed sampler of a loader, where it shuffles."""
    if not isinstance(loader, Instance) or loader.cls != External(LOADER):
        return None
    sampler = loader.options.get("sampler")
    if not isinstance(sampler, Instance) or sampler.cls != External(SAMPLER):
        return None
    return sampler if sampler.options.get("shuffle") is True else None

"""Optimizers that step again and again in a program that runs no backward.

for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    optimizer.step()                    # finds no gradient, and moves nothing
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.idle_steps import REPEATED
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import source_of
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import noted_at
from autograd_lint.engine.pitfalls import NO_BACKWARD, Pitfall
from autograd_lint.libraries.torch.events import ClosureRun
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import GivenToUnknownCode, ModuleCalled
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown

_DIFFERENTIATES = re.compile(
    r"backward|autograd(?!\.Variable| import Variable)|torch\.func|functorch|\bgrad\(|vjp|jac|hess"
)


@dataclass(slots=True, eq=False, repr=False)
class MissingBackward(Checker):
    """The modules that have given a graph, by identity; whether unknown code was given a graph,
    which it may run backward through; where the closures of steps stand, by these."""

    used: dict[int, Instance | Unknown] = field(default_factory=dict)
    handed: bool = False
    closures: dict[Place, Place] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)
        to.add(cls, GivenToUnknownCode, cls.given)
        to.add(cls, ClosureRun, cls.closure_run)

    def closure_run(self, interp: Interpreter, event: ClosureRun) -> None:
        """A step has run its closure."""
        function = event.closure
        self.closures[event.place] = function.source.place(function.node)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result with a graph, which a backward may run through."""
        if event.node is not None and event.itself:
            self.used[id(event.module)] = event.module

    def given(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Unknown code is given something."""
        if not self.handed:
            values = (*event.call.args, *event.call.keywords.values())
            self.handed = any(graph_of(one) is not None for one in values)

    def end(self, interp: Interpreter) -> None:
        """The run is over: has an optimizer only stepped?"""
        walked = bool(interp.engine.backward.passes) or interp.opaque_backward
        if walked or self.handed or interp.record.gave_up:
            return
        optimizers = interp.state(TrainingRecord).optimizers.values()
        idle = [one for one in optimizers if len(one.idle) >= max(one.steps, REPEATED)]
        modules = self.used.values() if idle else ()
        used = {id(own) for module in modules for own in own_parameters(module)}
        for stepping in idle:
            step, made = stepping.idle[0][0], stepping.made
            moves = any(id(own) in used for own in optimized(stepping.optimizer))
            if moves and not _differentiates(interp, step):
                note(
                    interp,
                    Pitfall.NO_GRADIENTS,
                    step,
                    detail=NO_BACKWARD,
                    built=made,
                    noted=noted_at(self.closures.get(step), "this closure runs no backward"),
                )


def _differentiates(interp: Interpreter, step: Place) -> bool:
    """Whether the file of a step, or the one that is run, speaks of gradients: there may be another
    way to them than the run has taken."""
    sources = (interp.world.source, source_of(interp, step))
    return any(one is None or interp.query(one, _speaks_of_gradients) for one in sources)


@query
def _speaks_of_gradients(source: Source) -> bool:
    return _DIFFERENTIATES.search(source.text) is not None

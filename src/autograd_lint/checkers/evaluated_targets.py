"""Targets that an optimizer moves although the network that computes them is in evaluation mode.

student.train(); teacher.eval()
loss = mse_loss(student(x), teacher(x))     # also moves the teacher, towards the student
optimizer.step()                            # was given the parameters of both
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.module_modes import training
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.targets import LOSSES, MEANT, optimizing
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.libraries.torch.modules.opaque_parameters import opaque_parameter
from autograd_lint.places import Place
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.frames import Frame, called_at, forward_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown

NEAR = 4  # nodes between a comparison and the module that computed what it compares


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A module, where it was called, and whether in training mode; None where that is unknown."""

    module: Instance | Unknown
    place: Place
    training: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """The networks that have computed something, the outermost first, each a part of the one
    before it."""

    networks: list[Network]
    node: Node


@dataclass(slots=True, eq=False, repr=False)
class EvaluatedTargets(Checker):
    """What networks and their layers have computed, by the node, whether any of them was in
    evaluation mode, and the networks whose `forward` runs, by the activation that runs."""

    computed: dict[int, Computed] = field(default_factory=dict)
    running: tuple[Frame | None, list[Network]] = (None, [])
    evaluated: bool = False

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)
        to.add(cls, PassBegun, cls.passed)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: by itself, or as a part of a network, and in which mode?"""
        if event.node is not None:
            own = _network(event.module, interp.place(event.call.node))
            networks = [*self._running(interp), own]
            self.computed[id(event.node)] = Computed(networks, event.node)
            self.evaluated |= any(one.training is False for one in networks)

    def _running(self, interp: Interpreter) -> list[Network]:
        """The modules whose `forward` runs, the outermost first, looked for once while the same
        function runs."""
        if self.running[0] is not interp.frame:
            self.running = interp.frame, list(_running(interp))
        return self.running[1]

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go into a target, too?"""
        walk = event.walk
        for node in walk.order if self.evaluated else ():
            if len(node.edges) == 2 and node.operator.rpartition(".")[2] in LOSSES:
                target = self._target(node)
                moved = _moved(interp, target.module, walk) if target is not None else []
                if target is not None and moved:
                    note(
                        interp,
                        Pitfall.TARGET_LEARNS,
                        target.place,
                        tensor=moved[0],
                        needed=Needed(walk.call.place, walk.call.name),
                        noted=tuple(optimizing(interp, own_parameters(target.module))),
                        assumptions=MEANT | _assumed(target.module),
                    )

    def _target(self, node: Node) -> Network | None:
        """The network in evaluation mode that a comparison takes its target from, where one in
        training mode has computed what it compares."""
        found = [one for one in map(self._computed, node.edges) if one is not None]
        if len(found) < 2:
            return None
        for compared, target in zip(*(one.networks for one in found), strict=False):
            if compared.module is not target.module:
                learns = compared.training or isinstance(compared.module, Unknown)
                evaluated = compared.training is False
                return target if learns and not evaluated and target.training is False else None
        return None

    def _computed(self, node: Node) -> Computed | None:
        """The networks that have computed what a node makes another shape or likelihoods of."""
        for _ in range(NEAR):
            found = self.computed.get(id(node))
            if found is not None:
                return found
            if len(edges := _computing(node)) != 1:
                return None
            node = edges[0]
        return None


def _computing(node: Node) -> list[Node]:
    """What a node was computed from, but for factors that unknown code gave: temperatures."""
    if len(node.edges) == 1:
        return node.edges
    return [one for one in node.edges if one.edges or not one.opaque]


def _running(interp: Interpreter) -> Iterator[Network]:
    """The modules whose `forward` runs, the outermost first."""
    for caller, frame in pairwise(interp.frames):
        module, place = forward_of(frame), called_at(caller, frame)
        if module is not None and place is not None:
            yield _network(module, place)


def _network(module: Instance | Unknown, place: Place) -> Network:
    return Network(module, place, training(module))


def _moved(interp: Interpreter, module: Instance | Unknown, walk: Pass) -> list[str | None]:
    """The parameters of a module that a backward reaches and an optimizer has, by their names; one
    stands for all of a module whose class is not known."""
    moved = set(map(id, walk.ends)).intersection(map(id, interp.state(TrainingRecord).optimized()))
    if isinstance(module, Unknown):
        found = opaque_parameter(module)
        return [found.name] if id(found) in moved else []
    return [name for name, tensor in parameters(module) if id(tensor) in moved]


def _assumed(module: Instance | Unknown) -> frozenset[Assumption]:
    """That a module whose class is not known has parameters which require grad."""
    requires = opaque_parameter(module).requires if isinstance(module, Unknown) else None
    return requires or frozenset()

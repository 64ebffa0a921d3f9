"""Targets that are computed by a moving average of a network, and get a gradient.

key = key_encoder(x)                          # its weights follow those of `encoder`
loss = cross_entropy(encoder(y) @ key.t(), labels)
loss.backward()                               # also reaches the average

However the two are compared, an average has nothing to learn.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.targets import computed_at, optimizing
from autograd_lint.checkers.weight_averages import WeightAverages
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class AveragedTargets(Checker):
    """The backwards of a run that put gradients into leaves."""

    walks: list[Pass] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins."""
        if event.walk.call.fills_gradients:
            self.walks.append(event.walk)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which leaves turned out to be averages, and got a gradient?"""
        averages = interp.state(WeightAverages)
        blended = {copy for copy in averages.writes if _is_average(averages, copy)}
        for walk in self.walks if blended else ():
            leaves = {averages.memory(leaf): leaf for leaf in walk.leaves()}
            copies = [leaf for key, leaf in leaves.items() if key in blended]
            both = any(_followed(averages, key) & leaves.keys() for key in leaves.keys() & blended)
            joined = _joined(walk, copies) if both and not _is_told(interp, walk) else None
            if joined is not None:
                note(
                    interp,
                    Pitfall.TARGET_LEARNS,
                    joined.place,
                    tensor=copies[0].name,
                    needed=Needed(walk.call.place, walk.call.name),
                    noted=(*computed_at(interp, joined, copies[0]), *optimizing(interp, copies)),
                    assumptions=copies[0].requires or CERTAINLY,
                )


def _is_told(interp: Interpreter, walk: Pass) -> bool:
    """Whether it is told already that this backward goes into a target."""
    told = (one for one in interp.engine.faults if one.kind is Pitfall.TARGET_LEARNS)
    return any(one.needed is not None and one.needed.place == walk.call.place for one in told)


def _is_average(averages: WeightAverages, copy: int) -> bool:
    """Whether weights were blended with those that they follow."""
    followed = _followed(averages, copy)
    return any(one.blended and followed & one.others for one in averages.writes[copy])


def _followed(averages: WeightAverages, copy: int) -> Set[int]:
    """The weights that others began as a copy of; where the code does not show that they did, those
    that they are blended with."""
    origin = averages.origins.get(copy)
    if origin is not None:
        return {origin}
    return frozenset().union(*(one.others for one in averages.writes[copy] if one.blended))


def _joined(walk: Pass, copies: Collection[Tensor]) -> Node | None:
    """The youngest node that only averages lead to, and that is compared with something else."""
    own = {id(leaf) for leaf in copies}
    averaged: dict[int, frozenset[bool]] = {}
    joined = None
    for node in reversed(walk.order):
        alone = frozenset({id(node.leaf) in own})
        given = [averaged.get(id(edge), frozenset({id(edge.leaf) in own})) for edge in node.edges]
        averaged[id(node)] = frozenset().union(*given) if given else alone
        if len(averaged[id(node)]) > 1:
            targets = [edge for edge, one in zip(node.edges, given, strict=True) if one == {True}]
            joined = next(iter(targets), joined)
    return joined

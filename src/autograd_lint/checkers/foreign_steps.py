"""Steps of one network with the gradients of another one's loss, although it has a loss of its own.

In a GAN the discriminator's loss also reaches the generator. Where both are stepped after that
backward, and the generator once more after a backward of its own through the discriminator, its
first step moves it along the wrong loss. Not so where what the other network gives goes into it:
both make one result then, as an encoder and a decoder do. Neither where a custom Function lies
between them: who turns a gradient around wants it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import permutations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import reached
from autograd_lint.libraries.torch.events import StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

REPEATED = 2  # steps at one place that stand in a loop
JOINT = 3  # networks that are trained by one loss together


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step, the only backward whose gradients it uses, and what it moves."""

    place: Place
    name: str
    walk: Pass
    tensors: list[Tensor]

    @property
    def own(self) -> set[int]:
        """What it moves, by identity."""
        return {id(tensor) for tensor in self.tensors}

    def reaches(self, other: Step) -> bool:
        """Whether its backward gives gradients to what another step moves."""
        return any(id(leaf) in other.own for leaf in self.walk.leaves())

    def is_judged_by(self, other: Step) -> bool:
        """Whether what another step moves computes its loss from what this one moves, as autograd
        differentiates it."""
        ways = (reached([node]).values() for node in uses(self.walk, other.own))
        return any(
            any(node.leaf is not None and id(node.leaf) in self.own for node in way)
            and all(node.run is None for node in way)
            for way in ways
        )


@dataclass(slots=True, eq=False, repr=False)
class ForeignSteps(Checker):
    """The steps of each set of parameters, in order; None for one that uses several backwards."""

    taken: dict[frozenset[int], list[Step | None]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        known = interp.state(TrainingRecord).of(event.tensors)
        walks = {id(share.walk): share.walk for one in known for share in one.fresh}
        walk = next(iter(walks.values()), None)
        alone = walk is not None and len(walks) == 1
        step = Step(event.place, event.name, walk, event.tensors) if alone and walk else None
        self.taken[frozenset(map(id, event.tensors))].append(step)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which network was stepped with the loss of another one?"""
        for own, others in permutations(self.taken.values(), 2):
            for partner, borrowed, meant in _borrowed(own, others):
                if self._is_joint(borrowed.walk):
                    continue
                leaf = borrowed.tensors[0]
                name = leaf.name or borrowed.name
                note(
                    interp,
                    Pitfall.FOREIGN_GRADIENT,
                    borrowed.walk.call.place,
                    leaf=leaf,
                    operator=partner.name,
                    modified=Modified(borrowed.place, "step", leaf.name, 0, by_optimizer=True),
                    needed=Needed(meant.walk.call.place, "backward"),
                    assumptions=frozenset({Assumption(Kind.OTHER_LOSS, name, weight=0)}),
                )

    def _is_joint(self, walk: Pass) -> bool:
        """Whether three optimizers step with one loss: it is that of all their networks."""
        using = [steps for steps in self.taken.values() if any(s and s.walk is walk for s in steps)]
        return len(using) >= JOINT


def _borrowed(
    own: list[Step | None], others: list[Step | None]
) -> Iterator[tuple[Step, Step, Step]]:
    """The step of the other network, the one with its loss, and the one with the own loss."""
    places, partners = _by_place(own), _by_place(others)
    if len(places) != 2 or len(partners) != 1:
        return
    (partner,) = partners.values()
    for borrowed, meant in permutations(places.values()):
        shares = borrowed.walk is partner.walk and not borrowed.own & partner.own
        if not shares or meant.walk.call.place == partner.walk.call.place:
            continue
        if meant.reaches(partner) and borrowed.is_judged_by(partner):
            yield partner, borrowed, meant


def uses(walk: Pass, leaves: Set[int]) -> Iterator[Node]:
    """The nodes of a backward that compute with some leaves, given by identity."""
    for node in walk.order:
        if any(edge.leaf is not None and id(edge.leaf) in leaves for edge in node.edges):
            yield node


def _by_place(steps: list[Step | None]) -> dict[Place, Step]:
    """The first step at each place, where all are repeated and use one backward each."""
    known = [step for step in steps if step is not None]
    first: dict[Place, Step] = {}
    for step in known:
        first.setdefault(step.place, step)
    places = [step.place for step in known]
    repeated = all(places.count(place) >= REPEATED for place in first)
    return first if repeated and len(known) == len(steps) else {}

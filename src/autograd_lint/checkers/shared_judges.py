"""Optimizers that also have the network which judges what they train.

optim_g = Adam(model.parameters())                     # the discriminator is a part of the model
optim_d = Adam(model.discriminator.parameters())

The loss of the generator goes through the discriminator, which another optimizer trains with a loss
of its own: on what is given, and on what the generator has made, without its graph. The step of the
generator then moves the discriminator as well, so that it judges worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import JUDGE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of, reached
from autograd_lint.libraries.torch.events import OptimizerMade, StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

Leaves = set[int]  # by identity


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The parameters that an optimizer has at a step, and the backward whose gradients it uses."""

    name: str
    tensors: list[Tensor]
    walk: Pass

    @property
    def own(self) -> Leaves:
        """What it moves."""
        return {id(tensor) for tensor in self.tensors}


@dataclass(slots=True, eq=False, repr=False)
class SharedJudges(Checker):
    """Where each optimizer was made, and its last step with the gradients of one loss."""

    made: dict[int, Place] = field(default_factory=dict)
    steps: dict[int, Step] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OptimizerMade, cls.optimizer_made)
        to.add(cls, StepBegun, cls.step_begun)

    def optimizer_made(self, _: Interpreter, event: OptimizerMade) -> None:
        """An optimizer is made: that is where it is given what it should not have."""
        self.made[id(event.optimizer)] = event.place

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        known = interp.state(TrainingRecord).of(event.tensors)
        walks = [share.walk for one in known for share in one.fresh]
        if len({walk.call.place for walk in walks}) == 1:
            self.steps[id(event.optimizer)] = Step(event.name, event.tensors, walks[-1])

    def end(self, interp: Interpreter) -> None:
        """The run is over: whose judge has another optimizer of its own?"""
        for (key, whole), part in permutations(self.steps.items(), 2):
            judge = part[1]
            if key in self.made and _has_judge(whole, judge):
                leaf = judge.tensors[0]
                note(
                    interp,
                    Pitfall.FOREIGN_GRADIENT,
                    self.made[key],
                    tensor=leaf.name,
                    operator=whole.name,
                    detail=JUDGE,
                    needed=Needed(judge.walk.call.place, "backward"),
                )


def _has_judge(whole: Step, judge: Step) -> bool:
    """Whether a step also moves what judges the rest of what it moves, and is trained to do so."""
    if not judge.own < whole.own:
        return False
    judged = whole.own - judge.own
    reached_by_judge = {id(leaf) for leaf in judge.walk.leaves()}
    if not reached_by_judge & judge.own or reached_by_judge & judged:
        return False
    through = judges(whole.walk, judge.own, judged)
    made = {_is_given_made(node, judged) for node in _uses(judge.walk, judge.own)}
    return through and made == {True, False}


def judges(walk: Pass, leaves: Leaves, judged: Leaves) -> bool:
    """Whether some leaves are computed with on the way of a backward to others."""
    return any(_leads_to(node, judged) for node in _uses(walk, leaves))


def _uses(walk: Pass, leaves: Leaves) -> Iterator[Node]:
    """The nodes that compute with some leaves."""
    for node in walk.order:
        if any(edge.leaf is not None and id(edge.leaf) in leaves for edge in node.edges):
            yield node


def _leads_to(node: Node, leaves: Leaves) -> bool:
    """Whether gradients go on from a node to some leaves."""
    return any(id(leaf) in leaves for leaf in leaves_of([node]))


def _is_given_made(node: Node, leaves: Leaves) -> bool:
    """Whether a node computes with what was made with some leaves, and has been cut off since."""
    behind = reached([node]).values()
    ends = [cut.source for one in behind for cut in one.graph_breaks]
    return any(id(leaf) in leaves for leaf in leaves_of(ends))

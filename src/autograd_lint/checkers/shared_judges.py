"""Optimizers that also have the network which judges what they train.

optim_g = Adam(model.parameters())                     # the discriminator is a part of the model
optim_d = Adam(model.discriminator.parameters())

The loss of the generator goes through the discriminator, which another optimizer trains with a loss
of its own: on what is given, and on what the generator has made, without its graph. The step of the
generator then moves the discriminator as well, so that it judges worse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import permutations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.foreign_steps import Step, uses
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import JUDGE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leads_to, reached
from autograd_lint.libraries.torch.events import StepBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

Leaves = set[int]  # by identity


@dataclass(slots=True, eq=False, repr=False)
class SharedJudges(Checker):
    """The last step of each optimizer with the gradients of one loss, by its identity."""

    steps: dict[int, Step] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        known = interp.state(TrainingRecord).of(event.tensors)
        walks = [share.walk for one in known for share in one.fresh]
        if len({walk.call.place for walk in walks}) == 1:
            step = Step(event.place, event.name, walks[-1], event.tensors)
            self.steps[id(event.optimizer)] = step

    def end(self, interp: Interpreter) -> None:
        """The run is over: whose judge has another optimizer of its own?"""
        for (key, whole), (_, judge) in permutations(self.steps.items(), 2):
            known = interp.state(TrainingRecord).optimizers.get(key)
            if known is not None and _has_judge(whole, judge):
                leaf = judge.tensors[0]
                note(
                    interp,
                    Pitfall.FOREIGN_GRADIENT,
                    known.made.place,
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
    made = {_is_given_made(node, judged) for node in uses(judge.walk, judge.own)}
    return through and made == {True, False}


def judges(walk: Pass, leaves: Leaves, judged: Leaves) -> bool:
    """Whether some leaves are computed with on the way of a backward to others."""
    return any(leads_to([node], judged) for node in uses(walk, leaves))


def judges_others(walk: Pass, made_with: Leaves, judging: Iterable[Tensor]) -> bool:
    """Whether a backward goes through a network twice: once where that was given what was made with
    some leaves, and once where it was not, as a discriminator is given what is real."""
    for leaf in judging:
        if {leads_to([node], made_with) for node in uses(walk, {id(leaf)})} == {True, False}:
            return True
    return False


def _is_given_made(node: Node, leaves: Leaves) -> bool:
    """Whether a node computes with what was made with some leaves, and has been cut off since."""
    behind = reached([node]).values()
    ends = [cut.source for one in behind for cut in one.graph_breaks]
    return leads_to(ends, leaves)

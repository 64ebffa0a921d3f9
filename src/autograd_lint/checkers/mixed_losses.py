"""Steps that use the gradients of two losses, one of which belongs to something else.

optimizer.zero_grad()
delta = attack(model, x)                          # a backward for the input, through the model
loss(model(x + delta.detach()), y).backward()
optimizer.step()                                  # uses the gradients of both

The step's own loss was computed without what the other one is for, as `detach()` or `no_grad` says,
or with no more than its gradient; or another function has run the other one, and read the gradient
of its input; or another optimizer has stepped with the other one in between, or was cleared for it.
What the other one is for is stepped with it, or read: else it is a second term of the same loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, permutations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.gradient_values import GradientValues
from autograd_lint.checkers.network_calls import NetworkCalls
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.shared_judges import judges, judges_others
from autograd_lint.checkers.training_record import Gradient, Share, TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Modified, Needed, noted_at
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.callers import in_other_functions
from autograd_lint.libraries.torch.events import GradientRead, StepBegun
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.libraries.torch.training.running import in_optimizer
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(frozen=True, slots=True, eq=False)
class Mix:
    """A step of an optimizer with the gradients of two losses; `foreign` gives gradients to the
    `wanted` leaves, by identity, which `meant` was computed without."""

    leaf: Tensor
    step: StepBegun
    foreign: Share
    meant: Pass
    wanted: frozenset[int] = frozenset()

    def note(self, interp: Interpreter) -> None:
        """It is a mistake."""
        call, own = self.foreign.walk.call, {id(tensor) for tensor in self.step.tensors}
        way = interp.state(NetworkCalls).way_to(own, self.foreign.walk.order)
        note(
            interp,
            Pitfall.FOREIGN_GRADIENT,
            call.place,
            tensor=self.leaf.name,
            operator=self.step.name,
            modified=Modified(self.step.place, "step", None, 0, by_optimizer=True),
            needed=Needed(self.meant.call.place, "backward"),
            noted=noted_at(way, "the gradient gets there through this call"),
        )


@dataclass(slots=True, eq=False, repr=False)
class MixedLosses(Checker):
    """The leaves whose gradients the program itself has read, by identity, and the mixes that wait
    for a step of the optimizer that one of their losses is for."""

    read: dict[int, Tensor] = field(default_factory=dict)
    waiting: list[Mix] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, StepBegun, cls.step_begun)

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """`leaf.grad`: the program makes use of the gradient of an input."""
        leaf = event.tensor
        if leaf.is_leaf and not leaf.parameter and not in_optimizer(interp):
            self.read[id(leaf)] = leaf

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters: of which losses?"""
        own = {id(tensor) for tensor in event.tensors}
        known = interp.state(TrainingRecord).of(event.tensors)
        self._end_waiting(interp, known)
        for gradient in known:
            if gradient.fresh:
                _judge_stepped(interp, gradient, own, event)
        if _judge_cleared(interp, known, own, event):
            return
        for gradient in known:
            for foreign, meant in _pairs(gradient):
                wanted = self._wanted(interp, foreign.walk, meant, own)
                mix = Mix(gradient.leaf, event, foreign, meant, wanted)
                if wanted and self._is_told(interp, mix):
                    return

    def _end_waiting(self, interp: Interpreter, known: list[Gradient]) -> None:
        """Which of the losses that wait are those that an optimizer is about to step with?"""
        walks = {id(share.walk): id(one.leaf) for one in known for share in one.fresh}
        ended = [mix for mix in self.waiting if walks.get(id(mix.foreign.walk)) in mix.wanted]
        for mix in ended[:1]:
            mix.note(interp)
        self.waiting = [mix for mix in self.waiting if mix not in ended]

    def _is_told(self, interp: Interpreter, mix: Mix) -> bool:
        """Whether what a loss is for has been stepped with it, or read; else that may come."""
        steps = interp.state(TrainingRecord).step_log[mix.foreign.steps :]
        if mix.wanted.isdisjoint(self.read) and all(map(mix.wanted.isdisjoint, steps)):
            self.waiting.append(mix)
            return False
        mix.note(interp)
        return True

    def _wanted(
        self, interp: Interpreter, foreign: Pass, meant: Pass, own: set[int]
    ) -> frozenset[int]:
        """The leaves that a loss is for, which the other loss was computed without: such as the
        program reads the gradient of, or another optimizer has."""
        left_out = {id(leaf) for leaf in meant.cut_off()} | self._used(interp, meant)
        if in_other_functions(interp.source, foreign.call.place, meant.call.place):
            left_out |= self.read.keys()
        left_out -= {id(leaf) for leaf in meant.leaves()}
        left_out &= {id(leaf) for leaf in foreign.leaves()} - own
        of_others = set().union(*(one for one in _sets(interp) if own.isdisjoint(one)))
        return frozenset(left_out & (self.read.keys() | of_others))

    def _used(self, interp: Interpreter, walk: Pass) -> set[int]:
        """The leaves whose gradient, as the program has read it, a loss was computed with."""
        if not self.read:
            return set()
        behind = interp.state(GradientValues).leaf_behind
        found = [behind(one.tensor) for node in walk.order for one in node.saved]
        return {id(leaf) for leaf in found if leaf is not None} & self.read.keys()


def _judge_stepped(interp: Interpreter, gradient: Gradient, own: set[int], step: StepBegun) -> None:
    """Has a loss put its gradient in here with which another optimizer has stepped since?

    The step's own loss is computed with what that one has, or what the step moves judges it.
    """
    first, last = gradient.fresh[0], gradient.fresh[-1]
    between = interp.state(TrainingRecord).step_log[first.steps : last.steps]
    foreign = [other for other in between if not other & own]
    if not foreign or _overlap(first, last):
        return
    reached = {id(leaf) for leaf in (*last.walk.leaves(), *last.walk.cut_off())}
    early = {id(leaf) for leaf in first.walk.leaves()}
    moved = [other & early for other in foreign]
    if any(one & reached or judges(first.walk, own, one) for one in moved):
        Mix(gradient.leaf, step, first, last.walk).note(interp)


def _judge_cleared(
    interp: Interpreter, known: list[Gradient], own: set[int], step: StepBegun
) -> bool:
    """Has a loss put its gradient in here for which another optimizer was cleared, and not this one
    of what an earlier loss has left?"""
    for gradient in known:
        for first, last in pairwise(gradient.fresh):
            for other in _sets(interp):
                if other.isdisjoint(own) and _is_cleared_for(interp, own, other, first, last):
                    Mix(gradient.leaf, step, last, first.walk).note(interp)
                    return True
    return False


def _is_cleared_for(
    interp: Interpreter, own: set[int], other: set[int], first: Share, last: Share
) -> bool:
    """Whether another optimizer was cleared between two losses, without a step: of what the first
    of them has left, or the last one gets there through what this optimizer has, or it judges other
    things as well. Each of them has a loss of its own then; not through custom Functions, which may
    turn gradients around.

    An encoder with an optimizer of its own gets the gradients of all heads.
    """
    record = interp.state(TrainingRecord)
    reached = [leaf for leaf in last.walk.leaves() if id(leaf) in other]
    stepped = not all(map(other.isdisjoint, record.step_log[first.steps : last.steps]))
    if not reached or stepped or any(node.run is not None for node in last.walk.order):
        return False
    times = [record.cleared.get(leaf, 0) for leaf in reached]
    if not all(first.walk.began < time <= last.walk.began for time in times):
        return False
    before = {id(leaf) for leaf in first.walk.leaves()}
    left = any(id(leaf) in before for leaf in reached)
    return left or judges(last.walk, own, other) or judges_others(last.walk, own, reached)


def _overlap(first: Share, last: Share) -> bool:
    """Whether two backwards walk one graph, so that their sum is meant."""
    walked = {id(node) for node in first.walk.order if node.leaf is None}
    return any(id(node) in walked for node in last.walk.order)


def _pairs(gradient: Gradient) -> Iterator[tuple[Share, Pass]]:
    """The backwards of two lines that a gradient is the sum of, in either order."""
    shares: dict[Place, Share] = {}
    for share in gradient.fresh:
        if share.walk.call.place is not None:
            shares.setdefault(share.walk.call.place, share)
    return ((one, other.walk) for one, other in permutations(shares.values(), 2))


def _sets(interp: Interpreter) -> Iterator[set[int]]:
    """The parameters of each optimizer, by identity."""
    for stepping in interp.state(TrainingRecord).optimizers.values():
        yield {id(tensor) for tensor in optimized(stepping.optimizer)}

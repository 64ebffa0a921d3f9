"""Steps that use the gradients of two losses, one of which belongs to something else.

optimizer.zero_grad()
delta = attack(model, x)                          # a backward for the input, through the model
loss(model(x + delta.detach()), y).backward()
optimizer.step()                                  # uses the gradients of both

The step's own loss was computed without what the other one is for, as `detach()` or `no_grad` says,
or with no more than its gradient; or another function has run the other one, and read the gradient
of its input; or another optimizer has stepped with the other one in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.gradient_values import GradientValues
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, Share, TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.callers import innermost_function
from autograd_lint.libraries.torch.events import GradientRead, StepBegun
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.libraries.torch.training.running import in_optimizer
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class MixedLosses(Checker):
    """The leaves whose gradients the program itself has read, by identity."""

    read: dict[int, Tensor] = field(default_factory=dict)

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
        for gradient in known:
            if gradient.fresh:
                _judge_stepped(interp, gradient, own, event.name)
        for gradient in known:
            for foreign, meant in _pairs(gradient):
                if self._belongs_elsewhere(interp, foreign, meant, own):
                    note(
                        interp,
                        Pitfall.FOREIGN_GRADIENT,
                        foreign.call.place,
                        tensor=gradient.leaf.name,
                        operator=event.name,
                        modified=Modified(event.place, "step", None, 0, by_optimizer=True),
                        needed=Needed(meant.call.place, "backward"),
                    )
                    return

    def _belongs_elsewhere(
        self, interp: Interpreter, foreign: Pass, meant: Pass, own: set[int]
    ) -> bool:
        """Whether a loss is that of leaves which the other loss was computed without."""
        left_out = {id(leaf) for leaf in meant.cut_off()} | self._used(interp, meant)
        if _in_other_functions(interp.source, foreign.call.place, meant.call.place):
            left_out |= self.read.keys()
        left_out -= {id(leaf) for leaf in meant.leaves()}
        wanted = left_out & {id(leaf) for leaf in foreign.leaves()} - own
        if not wanted:
            return False
        return not wanted.isdisjoint(self.read) or any(
            not wanted.isdisjoint(others) and own.isdisjoint(others) for others in _sets(interp)
        )

    def _used(self, interp: Interpreter, walk: Pass) -> set[int]:
        """The leaves whose gradient, as the program has read it, a loss was computed with."""
        if not self.read:
            return set()
        behind = interp.state(GradientValues).leaf_behind
        found = [behind(one.tensor) for node in walk.order for one in node.saved]
        return {id(leaf) for leaf in found if leaf is not None} & self.read.keys()


def _in_other_functions(source: Source, one: Place | None, other: Place | None) -> bool:
    """Whether two places of the file that runs stand in different functions."""
    if one is None or other is None or {one.filename, other.filename} != {source.filename}:
        return False
    functions = [innermost_function(source, place.row) for place in (one, other)]
    return functions[0] is not None and functions[0] is not functions[1]


def _judge_stepped(interp: Interpreter, gradient: Gradient, own: set[int], name: str) -> None:
    """Has a loss put its gradient in here with which another optimizer has stepped since?"""
    first, last = gradient.fresh[0], gradient.fresh[-1]
    between = interp.state(TrainingRecord).step_log[first.steps : last.steps]
    foreign = [other for other in between if not other & own]
    if not foreign or _overlap(first, last):
        return
    reached = {id(leaf) for leaf in (*last.walk.leaves(), *last.walk.cut_off())}
    early = {id(leaf) for leaf in first.walk.leaves()}
    if any(other & early & reached for other in foreign):
        note(
            interp,
            Pitfall.FOREIGN_GRADIENT,
            first.walk.call.place,
            tensor=gradient.leaf.name,
            operator=name,
            needed=Needed(last.walk.call.place, "backward"),
        )


def _overlap(first: Share, last: Share) -> bool:
    """Whether two backwards walk one graph, so that their sum is meant."""
    walked = {id(node) for node in first.walk.order if node.leaf is None}
    return any(id(node) in walked for node in last.walk.order)


def _pairs(gradient: Gradient) -> Iterator[tuple[Pass, Pass]]:
    """The backwards of two lines that a gradient is the sum of, in either order."""
    walks: dict[Place, Pass] = {}
    for share in gradient.fresh:
        if share.walk.call.place is not None:
            walks.setdefault(share.walk.call.place, share.walk)
    return permutations(walks.values(), 2)


def _sets(interp: Interpreter) -> Iterator[set[int]]:
    """The parameters of each optimizer, by identity."""
    for stepping in interp.state(TrainingRecord).optimizers.values():
        yield {id(tensor) for tensor in optimized(stepping.optimizer)}

"""Steps for a loss that was made while all that they move was frozen.

requires_grad(discriminator, False)
penalty = gradient_penalty(discriminator, real)     # leads to no parameter
penalty.backward()
optimizer.step()                                    # finds no gradient, and moves nothing
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import FROZEN_STEP, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import RequiresGradAsked, StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class Freeze:
    """A parameter requires no grad from one time on, until another, if that has come; `during` is
    the call of a harness in which that was last asked for."""

    place: Place
    since: int
    during: Frame | None
    until: int | None = None

    def covers(self, moment: int) -> bool:
        """Whether the parameter was frozen at a time."""
        return self.since < moment and (self.until is None or moment <= self.until)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step after a backward; `frozen` is where what it moves was frozen, if it found nothing."""

    walk: Pass | None
    frozen: Place | None


@dataclass(slots=True, eq=False, repr=False)
class FrozenSteps(Checker):
    """The last freeze of each parameter, and the steps of each optimizer at each place, by
    identity; `useful` are the backwards whose gradients a step has used."""

    freezes: dict[int, Freeze] = field(default_factory=dict)
    steps: dict[tuple[int, Place], list[Step]] = field(default_factory=lambda: defaultdict(list))
    useful: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, RequiresGradAsked, cls.asked)
        to.add(cls, StepBegun, cls.step_begun)

    def asked(self, interp: Interpreter, event: RequiresGradAsked) -> None:
        """`requires_grad` of a tensor is about to be set."""
        known, now = self.freezes.get(id(event.tensor)), interp.engine.clock
        lasting = known if known is not None and known.until is None else None
        if lasting is None and not event.value:
            self.freezes[id(event.tensor)] = Freeze(event.place, now, interp.harness_call)
        elif lasting is not None and event.value:
            lasting.until = now
        elif lasting is not None:
            lasting.during = interp.harness_call

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        fresh = [one for one in interp.state(TrainingRecord).of(event.tensors) if one.fresh]
        self.useful.update(id(share.walk) for one in fresh for share in one.fresh)
        passes = [one for one in interp.engine.backward.passes if one.call.accumulate]
        walk = passes[-1] if passes and not fresh else None
        held = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
        known = walk is not None and not any(_is_left_out(leaf, held) for leaf in walk.leaves())
        frozen = self._frozen_for(interp, walk, event.tensors) if walk and known else None
        self.steps[id(event.optimizer), event.place].append(Step(walk, frozen))

    def _frozen_for(self, interp: Interpreter, walk: Pass, tensors: list[Tensor]) -> Place | None:
        """Where all that is stepped was frozen, if it was when a loss was made.

        In which order methods are called, and whether all are, only their callers know.
        """
        made = max((node.sequence for node in walk.starts), default=0)
        known = [self.freezes.get(id(tensor)) for tensor in tensors]
        empty = all(tensor.grad is None for tensor in tensors)
        together = [one for one in known if one and one.during is interp.harness_call]
        covering = [one for one in together if one.covers(made)]
        if not covering or len(covering) < len(tensors) or not empty:
            return None
        return covering[0].place

    def end(self, interp: Interpreter) -> None:
        """The run is over: which steps never found anything, after a loss that no other step has
        used?"""
        told = Pitfall.NO_GRADIENTS in interp.state(Notes).kinds()
        if interp.record.gave_up or told:
            return
        for (_, place), steps in self.steps.items():
            walk, frozen = steps[0].walk, steps[0].frozen
            if walk is None or not all(self._is_idle(step) for step in steps):
                continue
            note(
                interp,
                Pitfall.NO_GRADIENTS,
                place,
                detail=FROZEN_STEP,
                built=Created(frozen, "requires_grad") if frozen is not None else None,
                needed=Needed(walk.call.place, walk.call.name),
            )

    def _is_idle(self, step: Step) -> bool:
        return step.frozen is not None and id(step.walk) not in self.useful


def _is_left_out(leaf: Tensor, held: set[int]) -> bool:
    """Whether it is a parameter that no optimizer has, which is a mistake of its own."""
    return leaf.parameter and id(leaf) not in held

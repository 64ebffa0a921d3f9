"""Optimizers that are made anew for each step: their running averages begin anew as well.

for batch in loader:
    optimizer = torch.optim.Adam(model.parameters())
    loss_of(model, batch).backward()
    optimizer.step()

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html (the moments are state)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Stepping, TrainingRecord
from autograd_lint.engine.events import Modified, noted_at
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OptimizerMade, StepBegun
from autograd_lint.libraries.torch.training.optimizers import ADAPTIVE, optimized
from autograd_lint.places import Place
from autograd_lint.vm.frames import Frame, call_place
from autograd_lint.vm.instances import outside_name
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ROUNDS = 3  # of a loop, each with an optimizer of its own


@dataclass(slots=True, eq=False, repr=False)
class RenewedOptimizers(Checker):
    """Where each optimizer that keeps averages has stepped, where the function was called that has
    made it, and during which call of a harness, all by its identity."""

    stepped: dict[int, Place] = field(default_factory=dict)
    asked_for: dict[int, Place] = field(default_factory=dict)
    during: dict[int, Frame | None] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OptimizerMade, cls.optimizer_made)
        to.add(cls, StepBegun, cls.step_begun)

    def optimizer_made(self, interp: Interpreter, event: OptimizerMade) -> None:
        """An optimizer is made."""
        called = call_place(interp.frames)
        self.during[id(event.optimizer)] = interp.harness_call
        if called is not None:
            self.asked_for[id(event.optimizer)] = called

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps."""
        self.stepped.setdefault(id(event.optimizer), event.place)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which statement has made an optimizer for each of many steps?"""
        if not has_trained_alone(interp):
            return
        made: dict[tuple[Place | None, int], list[Stepping]] = {}
        for key, stepping in interp.state(TrainingRecord).optimizers.items():
            if _keeps_averages(stepping):
                during = id(self.during.get(key))
                made.setdefault((stepping.made.place, during), []).append(stepping)
        for (place, _), several in made.items():
            if len(several) >= ROUNDS and _are_renewed(several):
                first = several[0]
                stepped = self.stepped.get(id(first.optimizer))
                note(
                    interp,
                    Pitfall.RENEWED,
                    place,
                    operator=first.made.operator,
                    modified=Modified(stepped, "step", None, 0, by_optimizer=True),
                    noted=noted_at(self.asked_for.get(id(first.optimizer)), "asked for here"),
                )


def _keeps_averages(stepping: Stepping) -> bool:
    """Whether an optimizer has a state: the moments of a gradient, or a momentum."""
    call = stepping.optimizer.made_at
    given = {one.arg for one in call.keywords} if isinstance(call, ast.Call) else set()
    name = outside_name(stepping.optimizer)
    return name in ADAPTIVE or (name == "SGD" and "momentum" in given)


def _are_renewed(several: list[Stepping]) -> bool:
    """Whether each has stepped the same parameters once, which nothing else has changed."""
    parameters = [frozenset(map(id, optimized(one.optimizer))) for one in several]
    once = all(one.steps == 1 and one.useful for one in several)
    same = len(set(parameters)) == 1 and bool(parameters[0])
    return once and same and not any(map(_is_set, optimized(several[0].optimizer)))


def _is_set(parameter: Tensor) -> bool:
    """Whether something else than an optimizer has written a parameter since it was initialized."""
    storage = parameter.storage
    writes = [*storage.writes, *storage.unversioned_writes]
    moved = [write.event.by_optimizer for write in writes]
    return True in moved and not all(moved[moved.index(True) :])

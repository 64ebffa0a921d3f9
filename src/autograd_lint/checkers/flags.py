"""`requires_grad` switched off and on: what still moves, what was not frozen, what piles up."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import (
    REPLACING,
    TrainingRecord,
    mark_of,
    written_since,
)
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import ZEROED, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import (
    GradientRead,
    PassBegun,
    RequiresGradAsked,
    StepBegun,
)
from autograd_lint.libraries.torch.training.optimizers import class_name, optimized
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

# Optimizers that keep averages of earlier gradients, and those that do so where they are told.
_REMEMBERING = frozenset({"Adam", "AdamW", "Adamax", "NAdam", "RAdam", "SparseAdam"})
_PLAIN = frozenset({"SGD", "RMSprop", "Adagrad"})


@immutable
class Asked:
    """Where a leaf was told to require grad, the gradient it held then, and its writes so far."""

    place: Place
    grad: Tensor
    mark: tuple[int, int]

    def kept(self, grad: Tensor | None) -> bool:
        """Whether the leaf still holds that gradient, and nothing has cleared it since."""
        return grad is self.grad and not written_since(grad, self.mark) & REPLACING


@dataclass(slots=True, eq=False, repr=False)
class Flags(Checker):
    """What became of `requires_grad`.

    `undone` are leaves whose freezing was taken back before anything had been computed, `again`
    those that were told to require grad while they held an old gradient, `piled` those of them to
    which backward has added, and `read` whose gradient the program has looked at: what nobody looks
    at may pile up.
    """

    undone: list[tuple[Tensor, Place, tuple[Place, int]]] = field(default_factory=list)
    freed: dict[tuple[Place, int], set[Tensor]] = field(default_factory=dict)
    again: dict[int, Asked] = field(default_factory=dict)
    piled: dict[int, tuple[Tensor, Place, Needed]] = field(default_factory=dict)
    read: set[Tensor] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, RequiresGradAsked, cls.flagged)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, StepBegun, cls.stepped)
        to.add(cls, GradientRead, cls.looked_at)

    def flagged(self, interp: Interpreter, event: RequiresGradAsked) -> None:
        """`requires_grad` of a tensor is about to be set."""
        tensor, place = event.tensor, event.place
        if tensor.node is not None or not event.value:
            return
        moment = interp.engine.clock
        self.freed.setdefault((place, moment), set()).add(tensor)
        frozen = interp.engine.backward.frozen.get(id(tensor))
        # In which order methods are called, and whether both are, only their callers know.
        together = frozen is not None and frozen.during is interp.harness_call
        if frozen is not None and together and frozen.moment == moment and frozen.place != place:
            self.undone.append((tensor, frozen.place, (place, moment)))
        known = None if _is_cleared(interp, tensor) else tensor.grad
        if known is not None and not tensor.parameter and tensor.requires_grad is not None:
            self.again[id(tensor)] = Asked(place, known, mark_of(known))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward is about to add to gradients that were left from an earlier round."""
        walk = event.walk
        again = self.again
        if not again or not walk.call.accumulate:
            return
        for leaf in walk.leaves():
            asked = again.pop(id(leaf), None)
            if asked is not None and asked.kept(leaf.grad) and not _optimized(interp, leaf):
                needed = Needed(walk.call.place, walk.call.name)
                self.piled[id(leaf)] = leaf, asked.place, needed
                if leaf in self.read:
                    self._tell_piled(interp, leaf)

    def looked_at(self, interp: Interpreter, event: GradientRead) -> None:
        """The program reads a gradient."""
        self.read.add(event.tensor)
        self._tell_piled(interp, event.tensor)

    def _tell_piled(self, interp: Interpreter, leaf: Tensor) -> None:
        """Tell of a gradient that holds those of earlier iterations, and is looked at."""
        found = self.piled.pop(id(leaf), None)
        if found is not None:
            note(
                interp,
                Pitfall.GRADIENTS_PILE_UP,
                found[1],
                leaf=leaf,
                operator="requires_grad_",
                needed=found[2],
            )

    def stepped(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps: it also moves what was frozen with its gradient still there."""
        place, name = event.place, event.name
        frozen = interp.engine.backward.frozen
        for tensor in event.tensors if frozen else ():
            found = frozen.get(id(tensor))
            gradient = interp.state(TrainingRecord).gradients.get(id(tensor))
            if found is None or tensor.grad is None or tensor.requires is not None:
                continue
            if gradient is None or gradient.fresh:
                continue
            if gradient.used is not None or _moves_without(event.optimizer):
                note(
                    interp,
                    Pitfall.FROZEN_MOVES,
                    found.place,
                    tensor=tensor.name,
                    operator=name,
                    detail="" if gradient.used is not None else ZEROED,
                    modified=Modified(place, name, tensor.name, 0, by_optimizer=True),
                )

    def end(self, interp: Interpreter) -> None:
        """The run is over: was all that one line froze let go by another, and more?"""
        still = {one.place for one in interp.engine.backward.frozen.values()}
        undone: dict[tuple[Place, tuple[Place, int]], list[Tensor]] = {}
        for tensor, frozen, freed in self.undone:
            undone.setdefault((frozen, freed), []).append(tensor)
        for (frozen, freed), tensors in undone.items():
            if frozen not in still and len(self.freed[freed]) > len(set(tensors)):
                event = Modified(frozen, "requires_grad", None, 0)
                note(
                    interp,
                    Pitfall.FREEZE_UNDONE,
                    freed[0],
                    leaf=tensors[0],
                    modified=event,
                )


def _moves_without(optimizer: Instance) -> bool:
    """Whether an optimizer moves parameters whose gradient is zero: by what it remembers of earlier
    ones, or since it lets weights decay.

    Source: `_single_tensor_adam`, `_single_tensor_sgd` and others in torch/optim.
    """
    name = class_name(optimizer)
    if name in _REMEMBERING:
        return True
    options = (optimizer.options.get(one) for one in ("momentum", "weight_decay"))
    return name in _PLAIN and any(isinstance(one, float) and one > 0 for one in options)


def _is_cleared(interp: Interpreter, leaf: Tensor) -> bool:
    """Whether the gradient of a leaf is there and holds zeros."""
    known = interp.state(TrainingRecord).of([leaf])
    return any(not one.fresh and one.used is None for one in known)


def _optimized(interp: Interpreter, leaf: Tensor) -> bool:
    known = interp.state(TrainingRecord).optimizers.values()
    return any(leaf is tensor for stepping in known for tensor in optimized(stepping.optimizer))

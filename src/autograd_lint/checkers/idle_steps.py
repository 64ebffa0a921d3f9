"""Optimizers whose steps or clears never have any effect."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.targets import CopiedParameters
from autograd_lint.checkers.training_record import Stepping, TrainingRecord
from autograd_lint.engine.events import Created, Modified, Needed, Noted, noted_at
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import ZeroGradCalled
from autograd_lint.libraries.torch.training.optimizers import open_ended, optimized
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CLEARING = re.compile(r"([\w.]+)\.zero_grad\(")
REPEATED = 2  # idle steps that stand in a loop
FROZEN = "requires_grad"  # by which parameters were switched off
ROUNDS = 3  # of a loop, after which something is meant to happen again and again
CLEARED = 2  # iterations whose gradients an optimizer clears, and never uses
EXPLAINING = {
    Pitfall.GRADIENT_CUT,
    Pitfall.GRADIENTS_PILE_UP,
    Pitfall.LOSS_REBUILT,
    Pitfall.NOT_OPTIMIZED,
}


@dataclass(slots=True, eq=False, repr=False)
class IdleSteps(Checker):
    """Where optimizers had no gradients to clear, by their identity."""

    clears: dict[int, list[Place]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ZeroGradCalled, cls.zero_grad_called)

    def zero_grad_called(self, interp: Interpreter, event: ZeroGradCalled) -> None:
        """Are there any gradients to clear?"""
        known = interp.state(TrainingRecord).gradients
        if event.tensors and not any(id(tensor) in known for tensor in event.tensors):
            self.clears.setdefault(id(event.optimizer), []).append(event.place)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what never had any effect?"""
        if has_trained_alone(interp) and not interp.opaque_backward:
            self._judge_idle_clears(interp)
            _judge_never_stepped(interp)
        for stepping in interp.state(TrainingRecord).optimizers.values():
            if stepping.steps == len(stepping.idle) > 0:
                self._judge_idle(interp, stepping)

    def _judge_idle(self, interp: Interpreter, stepping: Stepping) -> None:
        tensors = optimized(stepping.optimizer)
        known = [
            g
            for t in tensors
            if (g := interp.state(TrainingRecord).gradients.get(id(t))) is not None
        ]
        # In which order several methods are called only their callers know.
        reached = [gradient for gradient in known if gradient.during is stepping.during]
        step, wasted = stepping.idle[0]
        event = Modified(step, "step", None, 0, by_optimizer=True)
        because = reached[0].leaf.requires or frozenset() if reached else frozenset()
        if (not known or _is_used_by_others(interp, stepping)) and _trains_others(interp, stepping):
            note(
                interp,
                Pitfall.NO_GRADIENTS,
                stepping.made.place,
                modified=event,
                noted=_copied_at(interp, tensors),
            )
        elif reached and wasted is not None:
            note(interp, Pitfall.ZERO_GRAD_BEFORE_STEP, wasted, modified=event, assumptions=because)
        elif reached:
            made = stepping.made.operator
            note(interp, Pitfall.STEP_BEFORE_BACKWARD, step, operator=made, assumptions=because)
        elif not known and _twins(interp, tensors) and not _explained(interp):
            place, copied = stepping.made.place, _copied_at(interp, tensors)
            note(interp, Pitfall.NO_GRADIENTS, place, modified=event, noted=copied)
        elif not known and has_trained_alone(interp) and len(stepping.idle) >= REPEATED:
            places = [interp.state(LeafRecord).off.get(id(tensor)) for tensor in tensors]
            if places and all(places) and not _explained(interp):
                frozen, place = Created(places[0], FROZEN), stepping.made.place
                note(interp, Pitfall.NO_GRADIENTS, place, built=frozen, modified=event)

    def _judge_idle_clears(self, interp: Interpreter) -> None:
        """An optimizer clears nothing, while gradients that no optimizer has pile up."""
        record = interp.state(TrainingRecord)
        if interp.query(interp.world.source, _clearers) > 1:
            return  # something else clears gradients as well
        if Pitfall.NOT_OPTIMIZED in interp.state(Notes).kinds():
            return  # it is told already which parameters the optimizer lacks
        known = {id(t) for s in record.optimizers.values() for t in optimized(s.optimizer)}
        piled = [
            gradient
            for gradient in record.gradients.values()
            if id(gradient.leaf) not in known and len(gradient.fresh) >= ROUNDS
        ]
        for key, places in self.clears.items():
            stepping = record.optimizers[key]
            if stepping.idle and _twins(interp, optimized(stepping.optimizer)):
                continue  # it has the parameters of a copy, which is told of its steps
            own = [one for one in optimized(stepping.optimizer) if not one.requires]
            reached = any(one in record.lent or id(one) in record.gradients for one in own)
            if own and piled and len(places) >= ROUNDS and not reached:
                needed = Needed(piled[0].fresh[-1].walk.call.place, "backward")
                note(
                    interp,
                    Pitfall.GRADIENTS_PILE_UP,
                    places[0],
                    tensor=piled[0].leaf.name,
                    operator="zero_grad",
                    needed=needed,
                )


def _judge_never_stepped(interp: Interpreter) -> None:
    """An optimizer clears its gradients again and again and never steps, while another one does."""
    record = interp.state(TrainingRecord)
    if interp.record.gave_up or not any(one.steps for one in record.optimizers.values()):
        return
    for stepping in record.optimizers.values():
        own = {id(tensor) for tensor in optimized(stepping.optimizer)}
        used = stepping.steps or any(one is stepping.optimizer for one in record.given_away)
        if used or own & interp.state(LeafRecord).asked.keys():
            continue
        wasted = [
            place
            for place, leaves in record.wasted.items()
            if max(map(leaves.count, own & set(leaves)), default=0) >= CLEARED
        ]
        for place in wasted[-1:]:  # of several it is rather the one behind the backward
            note(interp, Pitfall.ZERO_GRAD_BEFORE_STEP, place, operator="step")


@query
def _clearers(source: Source) -> int:
    """How many different things clear gradients somewhere in a file."""
    return len({name for _, names in source.pieces.each(_clearers_in) for name in names})


def _clearers_in(text: str) -> list[str]:
    return CLEARING.findall(text) if "zero_grad" in text else []


def _is_used_by_others(interp: Interpreter, stepping: Stepping) -> bool:
    """Whether another optimizer steps with the gradients of the same tensors."""
    own = {id(tensor) for tensor in optimized(stepping.optimizer)}
    others = interp.state(TrainingRecord).optimizers.values()
    useful = (one for one in others if one is not stepping and one.useful)
    return any(own & {id(tensor) for tensor in optimized(one.optimizer)} for one in useful)


def _trains_others(interp: Interpreter, stepping: Stepping) -> bool:
    """Whether backward fills the gradients of parameters that no optimizer has, while this one
    steps again and again: all of the program was run."""
    record = interp.state(TrainingRecord)
    optimizers = [one.optimizer for one in record.optimizers.values()]
    if not has_trained_alone(interp) or len(stepping.idle) < REPEATED or _explained(interp):
        return False
    if any(map(open_ended, optimizers)):
        return False
    owned = {id(tensor) for one in optimizers for tensor in optimized(one)}
    leaves = [gradient.leaf for gradient in record.gradients.values()]
    return any(leaf.parameter and id(leaf) not in owned for leaf in leaves)


def _twins(interp: Interpreter, tensors: list[Tensor]) -> bool:
    """Whether what is trained was copied from these tensors, or shares memory with them."""
    copies = interp.state(CopiedParameters).copies
    trained = [gradient.leaf for gradient in interp.state(TrainingRecord).gradients.values()]
    memory = {id(leaf.storage) for leaf in trained}
    memory |= {id(copies[id(leaf)][1]) for leaf in trained if id(leaf) in copies}
    return any(
        id(tensor.storage) in memory
        or (id(tensor) in copies and id(copies[id(tensor)][1]) in memory)
        for tensor in tensors
    )


def _copied_at(interp: Interpreter, tensors: list[Tensor]) -> tuple[Noted, ...]:
    """Where what is trained was copied from these tensors."""
    record = interp.state(CopiedParameters)
    trained = [gradient.leaf for gradient in interp.state(TrainingRecord).gradients.values()]
    own = {id(tensor.storage) for tensor in tensors}
    copies = (id(leaf) for leaf in trained if id(leaf) in record.copies)
    places = (record.made.get(one) for one in copies if id(record.copies[one][1]) in own)
    return noted_at(next(filter(None, places), None), "what is trained is copied here")


def _explained(interp: Interpreter) -> bool:
    """Whether it was told already why no gradient gets to the parameters, or one may have got
    there: by unknown code, or in a call that was not followed to its end."""
    told = EXPLAINING & interp.state(Notes).kinds()
    return bool(told) or interp.opaque_backward or interp.record.gave_up

"""`requires_grad` switched off and on: what still moves, what was not frozen, what piles up."""

from __future__ import annotations

from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter


def flagged(interp: Interpreter, tensor: Tensor, value: bool, place: Place) -> None:
    """`requires_grad` of a tensor is about to be set."""
    flags = interp.watch.requiring
    if tensor.node is not None:
        return
    if not value:
        if tensor.requires_grad is not None:
            flags.frozen[id(tensor)] = (tensor, place, interp.engine.clock)
        return
    moment = interp.engine.clock
    flags.freed.setdefault((place, moment), set()).add(tensor)
    frozen = flags.frozen.pop(id(tensor), None)
    if frozen is not None and frozen[2] == moment and frozen[1] != place:
        flags.undone.append((tensor, frozen[1], (place, moment)))
    if tensor.grad is not None and not tensor.parameter and tensor.requires_grad is not None:
        flags.again[id(tensor)] = place


def passed(interp: Interpreter, walk: Pass) -> None:
    """A backward is about to add to gradients that were left from an earlier round."""
    again = interp.watch.requiring.again
    if not again or not walk.call.accumulate:
        return
    for leaf in walk.leaves():
        place = again.pop(id(leaf), None)
        if place is not None and leaf.grad is not None and not _optimized(interp, leaf):
            interp.watch.said.add(("piles up", leaf))
            note(
                interp,
                Pitfall.GRADIENTS_PILE_UP,
                place,
                tensor=leaf.name,
                operator="requires_grad_",
                needed=Needed(walk.call.place, walk.call.name),
            )


def _optimized(interp: Interpreter, leaf: Tensor) -> bool:
    from autograd_lint.libraries.torch.optimizers import optimized

    known = interp.watch.optimizers.values()
    return any(leaf is tensor for stepping in known for tensor in optimized(stepping.optimizer))


def stepped(interp: Interpreter, tensors: list[Tensor], place: Place, name: str) -> None:
    """An optimizer steps: it also moves what was frozen with its gradient still there."""
    frozen = interp.watch.requiring.frozen
    for tensor in tensors if frozen else ():
        found = frozen.get(id(tensor))
        gradient = interp.watch.gradients.get(id(tensor))
        used = gradient is not None and gradient.used is not None and not gradient.fresh
        if found is not None and tensor.grad is not None and tensor.requires is None and used:
            note(
                interp,
                Pitfall.FROZEN_MOVES,
                found[1],
                tensor=tensor.name,
                operator=name,
                modified=Modified(place, name, tensor.name, 0, by_optimizer=True),
            )


def finished(interp: Interpreter) -> None:
    """The run is over: was all that one line froze let go again by another, with more besides?"""
    flags = interp.watch.requiring
    still = {place for _, place, _ in flags.frozen.values()}
    undone: dict[tuple[Place, tuple[Place, int]], list[Tensor]] = {}
    for tensor, frozen, freed in flags.undone:
        undone.setdefault((frozen, freed), []).append(tensor)
    for (frozen, freed), tensors in undone.items():
        if frozen not in still and len(flags.freed[freed]) > len(set(tensors)):
            event = Modified(frozen, "requires_grad", None, 0)
            note(interp, Pitfall.FREEZE_UNDONE, freed[0], tensor=tensors[0].name, modified=event)

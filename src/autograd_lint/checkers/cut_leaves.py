"""Leaves that were cut out of the graph of what an optimizer has, and take its place in a loss.

fast = [(p - lr * g).detach().requires_grad_() for p, g in zip(model.parameters(), grads)]
loss(fast).backward()         # fills the gradients of `fast`
optimizer.step()              # has none for those of the model
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.checkers.training_record import Stepping, TrainingRecord
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.training.optimizers import open_ended, optimized
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

REPEATED = 2  # idle steps that stand in a loop


class CutLeaves(Checker):
    """Looks at the optimizers none of whose steps had a gradient."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """It only asks at the end."""

    def end(self, interp: Interpreter) -> None:
        """The run is over: which optimizer waits for gradients that other leaves are given?"""
        record = interp.state(TrainingRecord)
        if interp.opaque_backward or interp.record.gave_up:
            return
        for stepping in record.optimizers.values():
            if _waits(record, stepping):
                _judge(interp, {id(one): one for one in optimized(stepping.optimizer)})


def _waits(record: TrainingRecord, stepping: Stepping) -> bool:
    """Whether an optimizer steps again and again, and no backward has come to what it has."""
    if open_ended(stepping.optimizer) or not stepping.steps == len(stepping.idle) >= REPEATED:
        return False
    return not any(id(one) in record.gradients for one in optimized(stepping.optimizer))


def _judge(interp: Interpreter, own: dict[int, Tensor]) -> None:
    """Which leaves that were given gradients have the values of these?"""
    for walk in interp.engine.backward.passes:
        for leaf in walk.leaves() if walk.call.fills_gradients else ():
            for one in leaf.graph_breaks:
                lost = next((own[key] for key in _behind(one) if key in own), None)
                if lost is not None and one.switch is None:
                    note_cut(
                        interp,
                        one.event.place,
                        lost,
                        operator=one.event.operator,
                        needed=Needed(walk.call.place, walk.call.name),
                        assumptions=one.assumptions | (lost.requires or frozenset()),
                    )


def _behind(cut: GraphBreak) -> Iterator[int]:
    """The leaves that a value was computed from before it was cut off, over other cuts too."""
    starts: list[Node] = [cut.source]
    seen: set[int] = set()
    while starts:
        leaves = [one for one in leaves_of(starts) if id(one) not in seen]
        seen.update(map(id, leaves))
        yield from map(id, leaves)
        starts = [one.source for leaf in leaves for one in leaf.graph_breaks]

"""Which of two backwards through one graph is not meant to train what that graph was built with.

In a GAN the loss of the discriminator walks into the generator, of actor and critic the loss of the
one into the other: then one of the two losses is to be detached. Two losses that the same optimizer
steps for are added up instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.faults import Fault, FaultKind, Meant
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.events import BackwardEnded
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class IntendedBackward(Checker):
    """Says of the graphs that a backward needed again what was meant."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, BackwardEnded, cls.judge_again)

    def judge_again(self, interp: Interpreter, event: BackwardEnded) -> None:
        """Say of the graphs that a backward needed again, in its faults, what is meant.

        The last pass is that backward.
        """
        before = event.faults
        faults = interp.engine.faults
        for index, fault in enumerate(faults[before:], before):
            if fault.kind is FaultKind.GRAPH_FREED and not fault.carried:
                faults[index] = replace(fault, meant=_meant(interp, fault))


def _meant(interp: Interpreter, fault: Fault) -> Meant | None:
    *earlier, again = interp.engine.backward.passes
    first = next((one for one in reversed(earlier) if _freed(one, fault)), None)
    shared = [node for node in again.order if node.created == fault.built]
    if first is None or first.call.place == again.call.place or not shared:
        return None
    built_with = _identities(leaves_of(shared))
    stepped = _stepped_between(interp, first)
    if stepped:
        return Meant.SECOND if stepped & built_with else Meant.FIRST
    if not _beside(first, shared) and _others_are_apart(interp, _beside(again, shared), built_with):
        return Meant.SECOND
    return None


def _freed(walk: Pass, fault: Fault) -> bool:
    return fault.freed is not None and walk.call.place == fault.freed.place


def _stepped_between(interp: Interpreter, first: Pass) -> set[int]:
    """What optimizers have stepped since a pass, by identity."""
    passes, steps = interp.engine.backward.passes, interp.state(TrainingRecord).pass_steps
    since = next((n for one, n in zip(passes, steps, strict=False) if one is first), 0)
    return set().union(*interp.state(TrainingRecord).step_log[since:])


def _beside(walk: Pass, shared: Iterable[Node]) -> set[int]:
    """The leaves that a backward gets to otherwise than through a shared graph."""
    closed = {(id(node), id(edge)) for node in walk.order for edge in node.edges if edge in shared}
    return _identities(leaves_of([one for one in walk.starts if one not in shared], closed))


def _others_are_apart(interp: Interpreter, others: set[int], shared: set[int]) -> bool:
    """Whether the leaves beside a shared graph belong to another optimizer than its own."""
    groups = [
        _identities(optimized(one.optimizer))
        for one in interp.state(TrainingRecord).optimizers.values()
    ]
    theirs = [group for group in groups if group & others]
    return bool(theirs) and not any(group & shared for group in theirs)


def _identities(tensors: Iterable[Tensor]) -> set[int]:
    return {id(tensor) for tensor in tensors}

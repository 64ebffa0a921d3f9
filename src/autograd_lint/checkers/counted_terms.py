"""Losses that one step counts more than once, as a later backward goes through them again.

running = running + criterion(net(x), y)
running.backward(retain_graph=True)      # the first term is in the sum of each later round, too
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import sums_in
from autograd_lint.checkers.training_record import Share, TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import StepBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class CountedTerms(Checker):
    """Looks at the gradients that a step is about to use."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use gradients: of several backwards, one within the other?"""
        for gradient in interp.state(TrainingRecord).of(event.tensors):
            found = counted_again(gradient.fresh)
            if found is not None:
                earlier, later = found
                note(
                    interp,
                    Pitfall.COUNTED_TWICE,
                    later.call.place,
                    operator=later.call.name,
                    needed=Needed(earlier.call.place, earlier.call.name),
                    assumptions=gradient.leaf.requires or frozenset(),
                )


def counted_again(shares: Sequence[Share]) -> tuple[Pass, Pass] | None:
    """Two backwards that have added to one gradient, with a term in common."""
    pairs = pairwise(share.walk for share in shares)
    return next((pair for pair in pairs if _is_counted_again(*pair)), None)


def _is_counted_again(earlier: Pass, later: Pass) -> bool:
    """Whether two backwards that begin with different nodes have a term in common."""
    if any(one is other for one in earlier.starts for other in later.starts):
        return False
    known = {id(node) for node in _terms(earlier.starts)}
    return any(id(term) in known for term in _terms(later.starts))


def _terms(starts: Sequence[Node]) -> Iterator[Node]:
    """What is added up in the roots of a backward, themselves and sums in between among it."""
    yield from starts
    for node in sums_in(starts):
        yield node
        yield from node.edges if len(node.edges) > 1 else ()

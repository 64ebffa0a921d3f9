"""Closures that an optimizer runs several times in one step, and that clear no gradients, or walk
through what was computed before the step.

features = encoder(x)
def closure():
    loss = criterion(head(features), y)    # of the parameters as they were before the step
    loss.backward(retain_graph=True)       # adds to what the closure has left before
    return loss

optimizer = torch.optim.LBFGS(model.parameters())
optimizer.step(closure)
"""

from __future__ import annotations

from typing import Any

from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import BEFORE_CLOSURE, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import sequence_number, version_of
from autograd_lint.live.sites import Site

_COUNT = "func_evals"  # how often an optimizer has run a closure, in its own state


class Closures(Family):
    """Counts, within a step, the backwards that find no gradient of an earlier one, and knows what
    versions the parameters had when it began; keeps none alive."""

    __slots__ = ("_backward", "_begun", "_fresh", "_next", "_ran", "_told", "_versions")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._begun: tuple[int, Site | None] | None = None
        self._ran = 0  # before the step
        self._fresh = 0
        self._backward: Site | None = None  # the latest one
        self._next = 0  # the number of the first node of the step
        self._versions: dict[int, int | None] = {}

    def asks(self, optimizer: Optimizer, closure: Any, site: Site | None) -> None:
        """An optimizer is about to run a closure."""
        self._begun, self._ran = (id(optimizer), site), _runs(optimizer)
        self._fresh, self._backward = 0, None
        self._next = sequence_number()
        self._versions = {id(one): version_of(one) for one in parameters_of(optimizer)}

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: does it get to parameters that have moved since the step
        began, through nodes from before?"""
        if self._begun is None or min(walk.numbers, default=self._next) >= self._next:
            return
        leaves = graph.leaf_nodes(walk.nodes)
        moved = {node: int(self._has_moved(node.variable)) for node in leaves}
        leads = graph.carried(walk.nodes, moved) if any(moved.values()) else {}
        numbers = {number: one for one in leads if (number := graph.sequence_of(one)) is not None}
        old = [number for number, one in numbers.items() if number < self._next and leads[one]]
        birth = birth_of(numbers[max(old)], self._told.record) if old else None
        if birth is not None:
            self._told.tell(Pitfall.GRAPH_KEPT, birth.site, detail=BEFORE_CLOSURE)

    def _has_moved(self, leaf: Any) -> bool:
        return id(leaf) in self._versions and self._versions[id(leaf)] != version_of(leaf)

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        if self._begun is not None:
            self._fresh += not any(leaf.is_as_left for leaf in leaves)
            self._backward = site

    def after_step(self, optimizer: Optimizer) -> None:
        """It has: was what each run found cleared before the next one?"""
        begun, self._begun = self._begun, None
        if begun is None or begun[0] != id(optimizer):
            return
        if self._fresh <= 1 < _runs(optimizer) - self._ran:
            self._told.tell(Pitfall.MISSING_ZERO_GRAD, self._backward, modified=stepped(begun[1]))


def _runs(optimizer: Optimizer) -> int:
    """How often an optimizer says that it has run a closure."""
    counts = [state[_COUNT] for state in optimizer.state.values() if _COUNT in state]
    return sum(one for one in counts if isinstance(one, int))

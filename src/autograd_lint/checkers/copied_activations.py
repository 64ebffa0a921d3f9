"""Activations that `torch.tensor` copies: what they were computed with gets no gradient from there.

Who wants to end a graph writes `detach()`; `torch.tensor(h)` is written to make a tensor of what is
one already, and torch warns of it. Only what a layer is given counts: a target may be a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lint.checkers.backward_paths import least
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import COPIED
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.tensors.factories import COPYING
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class CopiedActivations(Checker):
    """Looks at the copies that layers were given, when the run is over."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """All that counts is there at the end: the passes, and what was stepped."""

    def end(self, interp: Interpreter) -> None:
        passes = (walk for walk in interp.engine.backward.passes if walk.call.accumulate)
        copies = {one for walk in passes for one in _given_to_layers(walk.order)}
        moved = {id(leaf) for leaf in stepped(interp)} if copies else set()
        for one in copies:
            lost = [leaf for leaf in leaves_of([one.source]) if id(leaf) in moved]
            if lost:
                because = Assumption(Kind.MEANT_TO_LEARN, lost[0].name or "", weight=0)
                note_cut(
                    interp,
                    one.event.place,
                    lost[0],
                    operator=COPYING,
                    detail=COPIED,
                    built=one.source.created,
                    assumptions=one.assumptions | least(lost) | {because},
                )


def _given_to_layers(nodes: Iterable[Node]) -> Iterator[GraphBreak]:
    """The copies that operators with a parameter of their own were given."""
    for node in nodes:
        if any(edge.leaf is not None and edge.leaf.parameter for edge in node.edges):
            yield from (one for one in node.graph_breaks if _is_copy_of_result(one))


def _is_copy_of_result(one: GraphBreak) -> bool:
    plain = one.switch is None and one.source.leaf is None
    return plain and one.event.operator == COPYING

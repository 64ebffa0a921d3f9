"""The ways that backward takes to the leaves, and leaves to which there is no other than a closed
one."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter


def received(interp: Interpreter, closed: Iterable[tuple[Node, Node]]) -> set[int]:
    """The leaves that all backward passes together get to by other edges than closed ones."""
    edges = {(id(node), id(target)) for node, target in closed}
    passes = interp.engine.backward.passes
    return {id(leaf) for walk in passes for leaf in leaves_of(list(walk.starts), edges)}


def behind(node: Node, wanted: AbstractSet[int]) -> list[Tensor]:
    """Those of some leaves that lie behind a node."""
    return [leaf for leaf in leaves_of([node]) if id(leaf) in wanted]


def least(lost: list[Tensor]) -> frozenset[Assumption]:
    """What has to be assumed for one of some leaves to require grad."""
    return min((leaf.requires or frozenset() for leaf in lost), key=len)


def note_lost(
    interp: Interpreter,
    lost: list[Tensor],
    place: Place | None,
    operator: str,
    assumptions: frozenset[Assumption] = frozenset(),
) -> None:
    """Note that leaves were lost at a place."""
    note(
        interp,
        Pitfall.GRADIENT_CUT,
        place,
        leaf=lost[0],
        operator=operator,
        assumptions=assumptions | least(lost),
    )

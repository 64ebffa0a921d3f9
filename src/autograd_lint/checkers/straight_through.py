"""Values that are replaced by the nearest entry of a codebook, and what is computed from these
entries gives no gradient back to the values.

choice = cdist(z, codebook.weight).argmin(1)
q = codebook(choice)                                 # no gradient gets past the choice
commitment = mse_loss(z, q.detach()) + mse_loss(q, z.detach())
decoder(q)                                           # z + (q - z).detach() hands it on to `z`
decoder(q + (z - q).detach())                        # the wrong way round: to `q` alone

Source: van den Oord, Vinyals, Kavukcuoglu: Neural Discrete Representation Learning, section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.consumers import MOVING, Consumers, consumers_in, ends
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.targets import LOSSES
from autograd_lint.checkers.terms import ADDITIVE
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import STRAIGHT_THROUGH, Pitfall
from autograd_lint.engine.walk import reached
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CHOICES = {"argmin", "argmax", "min", "max", "topk"}
PICKING = {"getitem", "index_select", "matmul", "mm"}
LENGTHS = {"pow", "square", "abs", "norm"}


class StraightThrough(Checker):
    """Looks at the choices behind what each backward compares."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which values are compared with what was chosen by them?"""
        walk = event.walk
        cuts = {id(one): one for node in walk.order for one in _choices(node)}
        consumers = consumers_in(walk) if cuts else {}
        for cut in cuts.values():
            values = list(_compared(walk, cut, consumers))
            used = next(_uses(walk, cut, consumers), None)
            if values and used is not None and all(_is_spent(one, consumers) for one in values):
                note(
                    interp,
                    Pitfall.GRADIENT_CUT,
                    used.place,
                    tensor=values[0].name,
                    operator=cut.event.operator,
                    detail=STRAIGHT_THROUGH,
                    built=Created(cut.event.place, cut.event.operator),
                    needed=Needed(walk.call.place, walk.call.name),
                    assumptions=walk.call.assumptions | cut.assumptions | used.requires,
                )


def _choices(node: Node) -> Iterator[GraphBreak]:
    return (one for one in node.graph_breaks if one.event.operator in CHOICES)


def _compared(walk: Pass, cut: GraphBreak, consumers: Consumers) -> Iterator[Node]:
    """The values that a choice was made by, where they are compared with what was chosen."""
    behind = reached([cut.source])
    for node in walk.order:
        if not _compares(node, consumers):
            continue
        sides = [_plain(edge) for edge in node.edges]
        own = [side for side in sides if id(side) in behind and side.leaf is None]
        if own and _has(node, sides, cut):
            yield own[0]


def _has(comparison: Node, sides: list[Node], cut: GraphBreak) -> bool:
    """Whether a comparison is given what was chosen, with its graph or detached."""
    detached = [_plain(one.source) for one in comparison.graph_breaks]
    return any(cut in one.graph_breaks for one in (comparison, *sides, *detached))


def _compares(node: Node, consumers: Consumers) -> bool:
    """Whether a node is a loss of two values: a difference is where its length is taken."""
    if node.operator == "sub":
        return all(one.operator in LENGTHS for one in ends(node, consumers))
    return node.operator.rpartition(".")[2] in LOSSES


def _plain(node: Node) -> Node:
    """What a node only gives another shape."""
    while node.operator in MOVING and len(node.edges) == 1:
        node = node.edges[0]
    return node


def _is_spent(values: Node, consumers: Consumers) -> bool:
    """Whether values are used for nothing but comparisons, and sums that take them away again."""
    return all(
        _compares(one, consumers) or _is_taken_away(one, values, consumers)
        for one in ends(values, consumers)
    )


def _is_taken_away(node: Node, values: Node, consumers: Consumers) -> bool:
    """`values + (chosen - values)`, of which a node is the sum or the difference."""
    sums = [node, *ends(node, consumers)] if node.operator == "sub" else [node]
    return any(
        one.operator in ADDITIVE
        and any(edge.operator == "sub" and values in edge.edges[1:] for edge in one.edges)
        for one in sums
    )


def _uses(walk: Pass, cut: GraphBreak, consumers: Consumers) -> Iterator[Node]:
    """Where the chosen values are computed with, other than by comparisons: the sum that they are
    a term of, else what has picked them."""
    for node in walk.order:
        if cut not in node.graph_breaks or _compares(node, consumers):
            continue
        if not _picks(node):
            yield node
            continue
        for use in ends(node, consumers):
            if not _compares(use, consumers):
                yield use if use.operator in ADDITIVE else node


def _picks(node: Node) -> bool:
    """Whether a node takes entries out of a parameter."""
    picking = "mbedding" in node.operator or node.operator in PICKING
    return picking and all(edge.leaf is not None for edge in node.edges)

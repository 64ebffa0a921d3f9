"""What a backward that the program runs itself proves of its tensors.

Where everything that a gradient may come to requires grad on one condition alone, backward raises
unless it holds: whatever else goes wrong, the program fails without it, too. Which entry of a table
was asked for is no such condition: with another one backward runs as well. Where one term of a loss
alone rests on a condition, that is no proof, but usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.walk import reached

_SUMS = {"add", "radd", "sub", "rsub"}
_SCALING = {"mul", "rmul", "div", "neg", "mean", "sum"}
_MOST = 64  # sums and terms that are looked through


def proven(roots: Iterable[Tensor], starts: Iterable[Node]) -> Iterator[Assumption]:
    """What must hold for the roots of a backward to require grad, where unknown code has made them,
    and for each of the nodes at which it begins to be there."""
    for root in roots:
        if root.node is not None and root.node.opaque and not _is_data(root.node):
            yield from (one for one in root.requires or () if one.kind is not Kind.IS_ENTRY)
    for start in starts:
        shared = _shared([_requires(node) for node in _sources(start) if not _is_data(node)])
        yield from (one for one in shared if one.kind is not Kind.IS_ENTRY)


def of_terms(starts: Iterable[Node]) -> Iterator[Assumption]:
    """What must hold for each of several terms of a loss to have a graph: backward goes on without
    it, and nothing would be learned of that term."""
    for start in starts:
        terms = list(_terms(start))
        for term in terms if len(terms) > 1 else ():
            yield from (one for one in term.requires if not one.given)


def _terms(loss: Node) -> Iterator[Node]:
    """What was added up in a loss, each term with its weight."""
    stack = [loss]
    for _ in range(_MOST):
        if not stack:
            return
        node = stack.pop()
        summed = node.operator in _SUMS or (node.operator in _SCALING and len(node.edges) == 1)
        if summed and node.edges:
            stack += node.edges
        else:
            yield node


def _sources(start: Node) -> Iterator[Node]:
    """The nodes at which a graph begins: leaves, and what unknown code has given."""
    return (node for node in reached([start]).values() if node.opaque or not node.edges)


def _is_data(source: Node) -> bool:
    """Whether a source is what a loader gives, which hardly ever has a graph: no training relies on
    that."""
    return source.element and any(one.weight >= Prior.DARING for one in source.requires)


def _requires(source: Node) -> frozenset[Assumption]:
    """What must hold for a source to have a graph; what unknown code has computed may have one on
    other grounds, unless it leads to nothing but what it was given and to parameters of its own."""
    elsewhere = source.opaque and source.edges and not source.closed
    return CERTAINLY if elsewhere else source.requires


def _shared(several: list[frozenset[Assumption]]) -> frozenset[Assumption]:
    return frozenset.intersection(*several) if several else CERTAINLY

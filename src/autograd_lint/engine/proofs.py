"""What a backward that the program runs itself proves of its tensors.

Where everything that a gradient may come to requires grad on one condition alone, backward raises
unless it holds: whatever else goes wrong, the program fails without it, too. Which entry of a table
was asked for is no such condition: with another one backward runs as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.engine.walk import reached


def proven(starts: Iterable[Node]) -> Iterator[Assumption]:
    """What must hold for each of the nodes at which a backward begins to be there."""
    for start in starts:
        shared = _shared([_requires(node) for node in _sources(start)])
        yield from (one for one in shared if one.kind is not Kind.IS_ENTRY)


def _sources(start: Node) -> Iterator[Node]:
    """The nodes at which a graph begins: leaves, and what unknown code has given."""
    return (node for node in reached([start]).values() if node.opaque or not node.edges)


def _requires(source: Node) -> frozenset[Assumption]:
    """What must hold for a source to have a graph; what unknown code has computed may have one on
    other grounds."""
    return CERTAINLY if source.opaque and source.edges else source.requires


def _shared(several: list[frozenset[Assumption]]) -> frozenset[Assumption]:
    return frozenset.intersection(*several) if several else CERTAINLY

"""Going on after an error: the state of a program in which that mistake has been fixed.

As compilers do: a refused write made a new tensor, or wrote a leaf under `no_grad`; a freed graph
was built anew; a view may be written; what an optimizer is given is a leaf. So the next mistake is
found in the same run, and what only follows from the first one is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import leaf_node
from autograd_lint.engine.tensor import CERTAINLY, CreationMeta, Storage, Tensor
from autograd_lint.engine.walk import leaves_of


def written_anew(tensor: Tensor, node: Node | None) -> None:
    """A write to `tensor` was refused: `node`, if there is one, made a new tensor in its place.

    A leaf stays one, as it is written under `no_grad`; the leaves behind what was written to it
    keep their gradients.
    """
    if tensor.node is None and (tensor.base is None or tensor.base.node is None):
        if node is not None and tensor.requires_grad is not None:
            own = leaf_node(tensor)
            behind = map(leaf_node, leaves_of(node.edges))
            own.edges.extend(edge for edge in behind if edge is not own)
        return
    tensor.storage, tensor.base, tensor.creation = Storage(), None, CreationMeta.DEFAULT
    if node is not None:
        tensor.node, tensor.output, tensor.requires = node, 0, node.requires


def built_anew(node: Node) -> None:
    """A node that was freed, or lost what it had saved, belongs to a graph that was just built."""
    node.freed = None
    for saved in node.saved:
        saved.renew()


def made_leaf(tensor: Tensor) -> None:
    """What was computed is a leaf that requires grad."""
    tensor.node, tensor.base, tensor.requires = None, None, CERTAINLY
    tensor.creation = CreationMeta.DEFAULT


def unknown_history(tensors: Iterable[Tensor | None]) -> None:
    """Gradients were asked for that no graph leads to: they come from a graph, whatever it is."""
    for tensor in tensors:
        if tensor is not None and tensor.requires is None:
            tensor.node = Node("grad", None, 0, opaque=True)
            tensor.requires = CERTAINLY

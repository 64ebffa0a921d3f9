"""Unknown values that are used as tensors, and what is assumed of them."""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.tensor import weight as heft
from autograd_lint.engine.views import edge
from autograd_lint.libraries.torch.tensors.evidence import is_other, is_parameter
from autograd_lint.libraries.torch.tensors.subclasses import is_object, is_wrapped
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.terms import is_named_as_loss, is_term
from autograd_lint.vm.values import (
    ANNOTATED,
    ARGUMENT,
    AWAY,
    COMPUTED_WITH,
    DATA,
    ELEMENT,
    GRADLESS,
    NOT_TENSORS,
    Items,
    Unknown,
    Value,
)

FLAGS = ("requires_grad", "requires_grad_")


def as_tensor(interp: Interpreter, value: Value) -> Tensor | None:
    """The tensor a value is; an unknown that is used as a tensor becomes one for good."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, Unknown) or value.hint in NOT_TENSORS or is_other(value):
        return None
    if value.tensor is None and is_object(interp, value):
        return None
    if value.tensor is None:
        weight = DATA if is_wrapped(interp, value) else value.weight
        value.tensor = assumed(interp, value, weight)
        value.tensor.storage.elsewhere |= AWAY in value.attributes
    return value.tensor


def assumed(interp: Interpreter, unknown: Unknown, weight: int) -> Tensor:
    """The tensor that an unknown is taken for; `weight`: how daring it is that it requires grad."""
    if GRADLESS in unknown.attributes:
        return Tensor(dtype=None, contiguous=None, name=unknown.origin)
    if unknown.member == "data" and _is_tensor(interp, unknown.parent):
        breaks = unknown.graph_breaks
        return Tensor(dtype=None, contiguous=None, name=unknown.origin, graph_breaks=breaks)
    switch = next((one.switch for one in unknown.graph_breaks if one.switch is not None), None)
    if switch is not None and not _is_flagged(unknown):
        breaks = unknown.graph_breaks
        return Tensor(
            dtype=None, contiguous=None, name=unknown.origin, cut=switch, graph_breaks=breaks
        )
    trained = is_parameter(interp, unknown)
    weight = min(weight, 1) if trained else weight
    learned = unknown.root.attributes.get(COMPUTED_WITH)
    given = not trained and unknown.source is None and learned is None
    origin = unknown.root.origin
    because = frozenset({Assumption(Kind.REQUIRES_GRAD, origin, weight=weight, given=given)})
    if not trained and (is_term(unknown) or (unknown.source and is_named_as_loss(unknown))):
        weight = weight if given else 0
        because = frozenset({Assumption(Kind.TERM_OF_LOSS, origin, weight=weight, given=given)})
    if trained:
        return Tensor(requires=because, parameter=True, name=unknown.origin)
    if unknown.source is not None and heft(unknown.source.requires) >= heft(because):
        because = unknown.source.requires
    if unknown.source is not None:
        unknown.source.parts.add(id(unknown))
    node = unknown.source or _opaque_node(interp, unknown, because, learned)
    return Tensor(requires=because, node=node, dtype=None, contiguous=None, name=unknown.origin)


def _opaque_node(
    interp: Interpreter, unknown: Unknown, because: frozenset[Assumption], learned: Value
) -> Node:
    """The node of a graph that nobody knows; it leads to what was `learned` by modules that were
    given to the code which has computed it, and not over the ends of graphs behind what that was
    given besides."""
    node = Node(unknown.root.origin, None, 0, because, frees=True, opaque=True)
    if isinstance(learned, Items) or is_term(unknown):
        node.sequence = interp.engine.next_node()
    if isinstance(learned, Items):
        leaves = (edge(interp.engine, one, None) for one in tensors_in(learned))
        node.edges += [leaf for leaf in leaves if leaf is not None]
    node.graph_breaks = unknown.graph_breaks
    node.given = ARGUMENT in unknown.attributes
    node.element = ELEMENT in unknown.attributes
    return node


def _is_tensor(interp: Interpreter, unknown: Unknown | None) -> bool:
    """Whether something has been used as a tensor, or comes from one, or is a parameter: others
    have `data`, too."""
    if unknown is None:
        return False
    if is_parameter(interp, unknown):
        return True
    known = unknown.tensor is not None or unknown.source is not None or bool(unknown.graph_breaks)
    return known or ANNOTATED in unknown.attributes


def _is_flagged(unknown: Unknown) -> bool:
    """Whether the program has said that an unknown requires grad, or has asked."""
    return any(("attribute", name) in unknown.attributes for name in FLAGS)

"""Walking the real engine's graph without changing it.

Nodes are held only while a walk lasts. What a node saved is read through `_raw_saved_*`, which
neither checks versions nor runs hooks; `_saved_*` runs the engine's own version check. An older
torch shows only what passes that check; nothing is read there once the program has used such hooks.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from autograd_lint.live.private import ACCUMULATING, SAVED_IS_OPEN

_SLOTS: dict[type, tuple[str, ...]] = {}
# Operators of layers: products of what is given and of parameters.
PRODUCTS = frozenset({"addmm", "bmm", "convolution", "mm"})
_NO_SEQUENCE = 2**63  # nodes that accumulate into leaves are numbered above this


@dataclass(frozen=True, slots=True)
class Slot:
    """One saved tensor of a node; `tensor` is None when it was freed (or never there)."""

    attribute: str
    tensor: torch.Tensor | None
    hooked: bool

    @property
    def role(self) -> str:
        """`result` or `input`, as events call it."""
        return "result" if self.attribute.startswith(("result", "output")) else "input"


def roots_of(outputs: Iterable[Any]) -> list[Any]:
    """The nodes that a backward from these tensors starts at."""
    found = []
    for output in outputs:
        try:
            node = output.grad_fn if isinstance(output, torch.Tensor) else output.node
        except (RuntimeError, AttributeError):
            continue
        if node is not None:
            found.append(node)
    return found


def node_of(tensor: torch.Tensor) -> Any:
    """The node of a tensor; None for leaves, and for views that autograd refuses."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def leads_nowhere(tensor: torch.Tensor) -> bool:
    """Whether no gradient goes on from a tensor, whatever it claims.

    A view of a leaf that was taken without grad mode says that it requires grad, and has no edge.
    """
    base = tensor._base
    claims = tensor.requires_grad and tensor.is_leaf and base is not None and base.requires_grad
    return claims or not tensor.requires_grad


def nodes_below(roots: Iterable[Any]) -> list[Any]:
    """Every node reached from `roots`; the caller must let go of them."""
    stack = list(dict.fromkeys(roots))
    seen = set(stack)
    found = stack.copy()
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                found.append(node)
                stack.append(node)
    return found


def edges_of(node: Any) -> list[Any]:
    """The nodes that a node hands gradients on to."""
    return [edge for edge, _ in node.next_functions if edge is not None]


def spread(roots: Iterable[Any], operators: Collection[str], most: int = 256) -> list[Any]:
    """The roots, and what they are made of by these operators: all down to the first others."""
    found = list(dict.fromkeys(roots))
    for node in found:
        if len(found) < most and operator_of(node) in operators:
            found += (one for one in edges_of(node) if one not in found)
    return found


def carried(nodes: Iterable[Any], marks: dict[Any, int]) -> dict[Any, int]:
    """The marks that each node leads to, bit by bit; `marks` gives those of the leaves' nodes."""
    found = dict(marks)
    for node in sorted((one for one in nodes if one not in marks), key=age_of):
        behind = 0
        for one in edges_of(node):
            behind |= found.get(one, 0)
        found[node] = behind
    return found


def sequence_of(node: Any) -> int | None:
    """A node's sequence number; None for nodes that have none."""
    number = int(node._sequence_nr())
    return number if number < _NO_SEQUENCE else None


def age_of(node: Any) -> int:
    """A node's sequence number; that of one that accumulates into a leaf is above all others."""
    return int(node._sequence_nr())


def numbers_of(nodes: Iterable[Any]) -> list[int]:
    """The sequence numbers of nodes that have one."""
    return [number for node in nodes if (number := node._sequence_nr()) < _NO_SEQUENCE]


def ages(outputs: Iterable[Any], now: int) -> list[int]:
    """How many nodes were made since the roots of these tensors, when it were `now` in all."""
    return [now - number for number in numbers_of(roots_of(outputs))]


def leaf_nodes(nodes: Iterable[Any]) -> list[Any]:
    """The nodes that accumulate into leaves."""
    return [node for node in nodes if type(node) is ACCUMULATING]


def leaves_in(nodes: Iterable[Any]) -> list[torch.Tensor]:
    """The leaves that gradients are accumulated in."""
    return [node.variable for node in leaf_nodes(nodes)]


def runs_program(node: Any) -> bool:
    """Whether the node belongs to a custom Function, whose backward is the program's code."""
    return isinstance(node, torch.autograd.function.BackwardCFunction)


def name_of(node: Any) -> str:
    """What torch calls a node; older ones do not say it of the node of a custom Function."""
    return type(node).__name__ if runs_program(node) else str(node.name())


def operator_of(node: Any) -> str:
    """The operator that a node belongs to, in the spelling of the operator table."""
    return _spelled(name_of(node))


def by_operator(nodes: Iterable[Any]) -> dict[str, list[Any]]:
    """Nodes by the operators that they belong to."""
    found: dict[str, list[Any]] = {}
    for node in nodes:
        found.setdefault(operator_of(node), []).append(node)
    return found


@lru_cache(maxsize=1_024)
def _spelled(name: str) -> str:
    name = name.rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")
    words = []
    for index, letter in enumerate(name):
        before, after = name[index - 1 : index], name[index + 1 : index + 2]
        begins = before.islower() or ((before.isupper() or before.isdigit()) and after.islower())
        words.append(f"_{letter.lower()}" if letter.isupper() and begins else letter.lower())
    return "".join(words)


def slots_of(node: Any, hooks: bool = False) -> Iterator[Slot]:
    """The saved tensors of a node, unchecked; `hooks` says that the program has used hooks on them.

    On older torches those that pass the check of their versions, none where there may be hooks.
    """
    if not SAVED_IS_OPEN:
        yield from () if hooks else _passing(node)
        return
    for attribute, saved in _raw(node):
        hooked = saved.unpack_hook is not None
        yield Slot(attribute, None if hooked else saved.data, hooked)


def _passing(node: Any) -> Iterator[Slot]:
    """The saved tensors of a node that pass the check of their versions."""
    for attribute in _attributes(node):
        try:
            found = getattr(node, _checked(attribute))
        except RuntimeError:
            continue
        for tensor in found if isinstance(found, tuple) else (found,):
            yield Slot(attribute, tensor, hooked=False)


def packed(node: Any) -> Iterator[tuple[Any, Any]]:
    """What hooks made of the saved tensors of a node, and the hook that is to unpack each."""
    for _, saved in _raw(node) if SAVED_IS_OPEN else ():
        if saved.unpack_hook is not None:
            yield saved.data, saved.unpack_hook


def _raw(node: Any) -> Iterator[tuple[str, Any]]:
    """What a node still holds of its saved tensors, unchecked, each with its attribute."""
    for attribute in _attributes(node):
        try:
            raw = getattr(node, "_raw_saved_" + attribute)
        except RuntimeError:
            continue
        for saved in raw if isinstance(raw, tuple) else (raw,):
            if saved is not None:
                yield attribute, saved


def complaints(node: Any, hooks: bool = False) -> Iterator[tuple[str, str]]:
    """The attributes of a node whose check the engine fails, with its message.

    Tensors under hooks are left alone: reading them would run the program's code.
    """
    for attribute in _attributes(node):
        if _hooked(node, attribute) if SAVED_IS_OPEN else hooks:
            continue
        try:
            getattr(node, _checked(attribute))
        except RuntimeError as error:
            yield attribute, str(error)


def _hooked(node: Any, attribute: str) -> bool:
    try:
        raw = getattr(node, "_raw_saved_" + attribute)
    except RuntimeError:
        return False  # a freed list
    return any(
        saved is not None and saved.unpack_hook is not None
        for saved in (raw if isinstance(raw, tuple) else (raw,))
    )


def _checked(attribute: str) -> str:
    """The attribute that is read with a check of its version."""
    return "saved_tensors" if attribute == "tensors" else "_saved_" + attribute


def same_message(one: str, other: str) -> bool:
    """Whether two messages of the engine agree, but for the hint at their end."""
    return one.partition("Hint:")[0].strip() == other.partition("Hint:")[0].strip()


def says_freed(message: str) -> bool:
    """Whether a complaint is that the saved tensors are gone."""
    return "already been freed" in message


def _attributes(node: Any) -> tuple[str, ...]:
    kind = type(node)
    known = _SLOTS.get(kind)
    if known is None:
        prefix = "_raw_saved_"
        names = [name.removeprefix(prefix) for name in dir(kind) if name.startswith(prefix)]
        known = _SLOTS[kind] = tuple(names)
    return known

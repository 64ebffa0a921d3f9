"""A value of the running program, described without its contents.

Nothing of the program runs for it: classes are taken from the objects themselves, elements by the
methods of the built-in containers. Whoever calls it sees to it that no mode looks at what is read
of tensors (`Record.looking`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeGuard, TypeVar

import torch

from autograd_lint.live.graph import operator_of
from autograd_lint.live.private import storage_id
from autograd_lint.observed.values import Named, Object, Plain, Sequenced, Tensor, Value

_MOST_ITEMS = 8  # of one container
_MOST_NAMES = 32  # of one dictionary or object
_DEPTH = 3  # of containers in one another
_CONSTANTS = {id(None): Plain("none"), id(True): Plain("true"), id(False): Plain("false")}
_CLASSES: tuple[tuple[type, Plain], ...] = (
    (int, Plain("int")),
    (float, Plain("number")),
    (complex, Plain("number")),
    (str, Plain("text")),
    (bytes, Plain("text")),
)
_OTHER = Plain("other")
_OWN_OF_MODULES = frozenset(torch.nn.Module().__dict__) - {"training"}

T = TypeVar("T")
Lent = Mapping[int, str]
"""The arguments of a call by the addresses of their memory."""


def is_a(value: object, cls: type[T]) -> TypeGuard[T]:
    """Whether an object is of a class, by its type alone: `isinstance` asks the object as well."""
    return issubclass(type(value), cls)


def arguments(bound: Mapping[str, object]) -> Named:
    """What the parameters of a call were bound to; an argument whose memory an earlier one shares
    is told as a view of that."""
    lent: dict[int, str] = {}
    found: list[tuple[str, Value]] = []
    for name, value in islice(bound.items(), _MOST_NAMES):
        found.append((name, described(value, lent)))
        storage = storage_id(value) if is_a(value, torch.Tensor) else None
        if storage:
            lent.setdefault(storage, name)
    return Named(tuple(found), len(bound) > len(found))


def own(instance: object) -> Named:
    """The attributes of an object that autograd may go by: tensors, flags, None, and containers of
    tensors; what a module registers is left out."""
    try:
        attributes = object.__getattribute__(instance, "__dict__")
    except AttributeError:  # slots
        attributes = {}
    left_out = _OWN_OF_MODULES if is_a(instance, torch.nn.Module) else frozenset[str]()
    found: list[tuple[str, Value]] = []
    for name in sorted(name for name in attributes if type(name) is str and name not in left_out):
        value = described(attributes[name], {})
        if _counts(value):
            found.append((name, value))
    return Named(tuple(found[:_MOST_NAMES]), len(found) > _MOST_NAMES)


def _counts(value: Value) -> bool:
    match value:
        case Plain(kind=kind):
            return kind in ("none", "true", "false")
        case Sequenced(items=items):
            return any(map(_counts, items))
        case Named(entries=entries):
            return any(_counts(one) for _, one in entries)
    return isinstance(value, Tensor)


def described(value: object, lent: Lent, depth: int = _DEPTH) -> Value:
    """The description of a value."""
    constant = _CONSTANTS.get(id(value))
    if constant is not None:
        return constant
    cls = type(value)
    if is_a(value, torch.Tensor):
        return _tensor(value, lent)
    plain = next((plain for known, plain in _CLASSES if issubclass(cls, known)), None)
    if plain is not None:
        return plain
    if cls.__module__ == "numpy":
        return Plain("array" if cls.__name__ == "ndarray" else "number")
    if depth and (found := _contained(value, lent, depth - 1)) is not None:
        return found
    if cls.__module__ == "builtins":
        return _OTHER
    return Object(f"{cls.__module__}.{cls.__qualname__}", issubclass(cls, torch.nn.Module))


def _contained(value: object, lent: Lent, depth: int) -> Value | None:
    """A container by its elements; None for what is none."""
    if is_a(value, dict):
        return _named(value, lent, depth)
    if is_a(value, list):
        return _sequenced("list", list.__iter__(value), list.__len__(value), lent, depth)
    if is_a(value, tuple):
        return _sequenced("tuple", tuple.__iter__(value), tuple.__len__(value), lent, depth)
    if is_a(value, set):
        return _sequenced("set", set.__iter__(value), set.__len__(value), lent, depth)
    return None


def _sequenced(kind: str, items: Iterator[object], count: int, lent: Lent, depth: int) -> Sequenced:
    found = tuple(described(one, lent, depth) for one in islice(items, _MOST_ITEMS))
    return Sequenced(kind, found, count > len(found))


def _named(value: dict[object, object], lent: Lent, depth: int) -> Named:
    """A dictionary by those of its keys that are names; any other text may be data."""
    entries = dict.items(value)
    named = ((key, one) for key, one in entries if type(key) is str and key.isidentifier())
    found = tuple((key, described(one, lent, depth)) for key, one in islice(named, _MOST_NAMES))
    return Named(found, dict.__len__(value) > len(found))


def _tensor(value: torch.Tensor, lent: Lent) -> Tensor:
    # The node of a view may be made when it is first asked for: only others are.
    node = None if value._is_view() else value.grad_fn
    return Tensor(
        str(value.dtype).removeprefix("torch."),
        value.requires_grad,
        value.is_leaf,
        isinstance(value, torch.nn.Parameter),
        "" if node is None else operator_of(node),
        lent.get(storage_id(value) or 0, ""),
        tuple(value.shape),
    )


def nodes_of(value: object, depth: int = _DEPTH) -> Iterator[torch.autograd.graph.Node]:
    """The graph nodes of the tensors in a value."""
    if is_a(value, torch.Tensor):
        if value.requires_grad and not value._is_view() and value.grad_fn is not None:
            yield value.grad_fn
    elif depth:
        for one in islice(_elements(value), _MOST_ITEMS):
            yield from nodes_of(one, depth - 1)


def _elements(value: object) -> Iterable[object]:
    if is_a(value, dict):
        return dict.values(value)
    if is_a(value, list):
        return list.__iter__(value)
    return tuple.__iter__(value) if is_a(value, tuple) else ()

"""What values are and hold: tensors, elements; copies of containers, what leads back to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard, TypeVar

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value

T = TypeVar("T")
_HOLDING = (Items, Mapping, Instance)


def tensor_of(value: Value) -> Tensor | None:
    """The tensor that a value is, or that an unknown has been found to be."""
    found = value.tensor if isinstance(value, Unknown) else value
    return found if isinstance(found, Tensor) else None


def elements(value: Value, kind: str = "") -> list[Value]:
    """The known elements of a container, of one kind of them alone if that is given; any other
    value is one of its own."""
    if isinstance(value, Items) and kind in ("", value.kind):
        return list(value.items)
    return [value]


def put_into(unknown: Unknown) -> dict[object, Value]:
    """The parts that the program has put into something unknown, by their keys."""
    parts = unknown.attributes.items()
    return {key[1]: part for key, part in parts if isinstance(key, tuple) and key[0] == "item"}


def all_of(values: Sequence[Value], kind: type[T]) -> TypeGuard[list[T]]:
    """Whether all values are of a class."""
    return all(isinstance(value, kind) for value in values)


def all_numbers(values: Sequence[Value]) -> TypeGuard[list[int | float]]:
    """Whether all values are whole numbers or floating-point ones."""
    return all(isinstance(value, (int, float)) for value in values)


def tensors_in(value: Value, depth: int = 4) -> Iterator[Tensor]:
    """The tensors in a value and in the containers it is made of."""
    if type(value) is Tensor:
        return iter((value,))
    found: list[Tensor] = []
    if depth and isinstance(value, _HOLDING):
        _collect(value, depth, found)
    return iter(found)


def parts(value: Items | Mapping | Instance) -> list[Value]:
    """What a container or an object holds itself, as far as it is known."""
    if isinstance(value, Items):
        return value.items
    return list((value.entries if isinstance(value, Mapping) else value.attributes).values())


def _collect(value: Items | Mapping | Instance, depth: int, found: list[Tensor]) -> None:
    """Add the tensors in a container to those that were found."""
    for part in parts(value):
        if type(part) is Tensor:
            found.append(part)
        elif depth > 1 and isinstance(part, _HOLDING):
            _collect(part, depth - 1, found)


def copied(container: Items | Mapping) -> Items | Mapping:
    """A container with the same content."""
    if isinstance(container, Items):
        return replace(container, items=list(container.items))
    return replace(container, entries=dict(container.entries))


def restore(container: Items | Mapping, before: Items | Mapping) -> None:
    """Let a container hold what its copy does."""
    container.rest = before.rest
    if isinstance(container, Items) and isinstance(before, Items):
        container.items[:] = before.items
        container.partial, container.taken = before.partial, before.taken
    elif isinstance(container, Mapping) and isinstance(before, Mapping):
        container.entries.clear()
        container.entries.update(before.entries)


def endless(value: Value, above: tuple[int, ...] = ()) -> bool:
    """Whether a list contains itself, at whatever depth."""
    if not isinstance(value, Items):
        return False
    around, inner = (*above, id(value)), (item for item in value.items if isinstance(item, Items))
    return id(value) in above or any(endless(item, around) for item in inner)

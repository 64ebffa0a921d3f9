"""What containers hold: copies of it, what it was before, and whether it leads back to them."""

from __future__ import annotations

from dataclasses import replace

from autograd_lint.vm.values import Items, Mapping, Value


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
        container.partial = before.partial
    elif isinstance(container, Mapping) and isinstance(before, Mapping):
        container.entries.clear()
        container.entries.update(before.entries)


def endless(value: Value, above: tuple[int, ...] = ()) -> bool:
    """Whether a list contains itself, at whatever depth."""
    if not isinstance(value, Items):
        return False
    around, inner = (*above, id(value)), (item for item in value.items if isinstance(item, Items))
    return id(value) in above or any(endless(item, around) for item in inner)

"""Shapes where they are cheap to know: a tuple with None for an unknown size, or None."""

from __future__ import annotations

Size = int | None
Shape = tuple[Size, ...] | None


def numel(shape: Shape) -> int | None:
    """The number of elements, None when unknown."""
    if shape is None:
        return None
    product = 1
    for size in shape:
        if size is None:
            return None
        product *= size
    return product


def broadcast(shapes: list[Shape]) -> Shape:
    """The shape of an elementwise operator's result; None where it cannot be told."""
    if not shapes:
        return ()
    if any(shape is None for shape in shapes):
        return None
    known = [shape for shape in shapes if shape is not None]
    rank = max(len(shape) for shape in known)
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in known], strict=True)
    return tuple(_broadcast_size(column) for column in columns)


def _broadcast_size(sizes: tuple[Size, ...]) -> Size:
    definite = [size for size in sizes if size is not None and size != 1]
    if definite:
        return definite[0]
    return None if None in sizes else 1

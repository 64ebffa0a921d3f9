"""Shapes and strides where they are cheap to know; None stands for what is not known."""

from __future__ import annotations

from collections.abc import Sequence

Size = int | None
Sizes = tuple[Size, ...]
Shape = Sizes | None
Strides = Sizes | None


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


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape of an elementwise operator's result; None where it cannot be told."""
    if not shapes:
        return ()
    if any(shape is None for shape in shapes):
        return None
    known = [shape for shape in shapes if shape is not None]
    rank = max(len(shape) for shape in known)
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in known], strict=True)
    return tuple(_broadcast_size(column) for column in columns)


def _broadcast_size(sizes: Sizes) -> Size:
    definite = [size for size in sizes if size is not None and size != 1]
    if definite:
        return definite[0]
    return None if None in sizes else 1


def differ(one: Shape, other: Shape) -> bool:
    """Whether two shapes are known to be different."""
    if one is None or other is None:
        return False
    pairs = zip(one, other, strict=False)
    return len(one) != len(other) or any(None not in pair and pair[0] != pair[1] for pair in pairs)


def dense_strides(shape: Sizes) -> Sizes:
    """The strides of a contiguous tensor."""
    strides: list[Size] = []
    step: Size = 1
    for size in reversed(shape):
        strides.append(step)
        step = None if step is None or size is None else step * max(size, 1)
    return tuple(reversed(strides))


def is_contiguous(shape: Sizes, strides: Sizes) -> bool | None:
    """Whether elements lie in memory in order, without gaps; None when unknown.

    Source: `_compute_contiguous` in c10/core/Contiguity.h.
    """
    if numel(shape) == 0:
        return True
    for size, stride, wanted in zip(shape, strides, dense_strides(shape), strict=True):
        if size == 1:
            continue
        if size is None or stride is None or wanted is None:
            return None
        if stride != wanted:
            return False
    return True


def overlaps(shape: Shape, strides: Strides) -> bool:
    """Whether several elements are surely one memory cell.

    Source: `has_internal_overlap` in aten/src/ATen/MemoryOverlap.cpp.
    """
    if shape is None or strides is None:
        return False
    pairs = zip(shape, strides, strict=True)
    return any(stride == 0 and size is not None and size > 1 for size, stride in pairs)


def view_strides(shape: Sizes, strides: Sizes, wanted: Sizes) -> Strides:
    """The strides with which the same memory has another shape; None where it cannot.

    Every size and stride must be known. Source: `computeStride_impl` in
    aten/src/ATen/TensorUtils.cpp.
    """
    if numel(shape) == 0:
        return dense_strides(wanted)
    old = [(size or 0, stride or 0) for size, stride in zip(shape, strides, strict=True)]
    new = [size or 0 for size in wanted]
    found: list[int] = []
    for length, step in _chunks(old or [(1, 1)]):
        filled = 1
        while new and (filled < length or new[-1] == 1):
            found.append(filled * step)
            filled *= new.pop()
        if filled != length:
            return None
    return None if new else tuple(reversed(found))


def _chunks(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs of dimensions that lie behind each other in memory, as (length, step), last first."""
    runs: list[tuple[int, int]] = []
    length, step = 1, pairs[-1][1]
    for position in range(len(pairs) - 1, -1, -1):
        length *= pairs[position][0]
        before = pairs[position - 1] if position else None
        if before is None or (before[0] != 1 and before[1] != length * step):
            runs.append((length, step))
            length, step = 1, before[1] if before else 1
    return runs

"""Shapes and strides of `x[index]`."""

from __future__ import annotations

from autograd_lint.engine.shapes import Shape, Sizes, broadcast
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.shapes.arguments import sliced
from autograd_lint.libraries.shapes.views import Layout, inserted, select
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.values import Items, Slice, Unknown, Value


def indexed(layout: Layout, index: Value) -> Layout | None:
    """The layout of `x[index]`; what an index of tensors gathers has no known strides."""
    parts = _parts(index, len(layout.shape))
    if parts is None:
        return None
    at, picked = 0, []
    for part in parts:
        if part is None:
            layout, at = inserted(layout, at), at + 1
        elif isinstance(part, Slice):
            layout, at = _slice(layout, at, part), at + 1
        elif _is_integer(part):
            found = select(layout, at) if at < len(layout.shape) else None
            if found is None:
                return None
            layout = found
        else:
            shapes = index_shapes(part)
            if shapes is None:
                return None
            picked.append((at, shapes))
            at += len(shapes)
    return _gathered(layout, picked) if picked else layout


def _parts(index: Value, rank: int) -> list[Value] | None:
    """The parts of an index, one for each dimension but for None."""
    parts = index.items if isinstance(index, Items) and index.kind == "tuple" else [index]
    taken = sum(_width(part) for part in parts)
    if taken > rank:
        return None
    full = [Slice(None, None, None)] * (rank - taken)
    for position, part in enumerate(parts):
        if part is Ellipsis:
            return [*parts[:position], *full, *parts[position + 1 :]]
    return list(parts)


def _width(part: Value) -> int:
    """How many dimensions a part of an index speaks of."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    tensor = tensor_of(part)
    if tensor is not None and tensor.dtype == "bool":
        return len(tensor.shape) if tensor.shape is not None else 1
    return 1


def _is_integer(part: Value) -> bool:
    if isinstance(part, bool):
        return False
    return isinstance(part, int) or (isinstance(part, Unknown) and part.hint == "int")


def _slice(layout: Layout, at: int, part: Slice) -> Layout:
    if at >= len(layout.shape):
        return layout
    step = 1 if part.step is None else part.step
    stride = layout.strides[at]
    strides = stride * step if isinstance(step, int) and stride is not None else None
    return layout.put(at, (sliced(layout.shape[at], part),), (strides,))


def index_shapes(part: Value) -> list[Shape] | None:
    """The shapes of the indices that one part stands for: a mask is one for each dimension."""
    if isinstance(part, Unknown):
        part = part.tensor
    if isinstance(part, Items):
        return _list(part)
    if not isinstance(part, Tensor) or part.shape is None:
        return None
    if part.dtype == "bool":
        return [(None,)] * len(part.shape)
    return [part.shape] if part.dtype == "int" else None


def _list(part: Items) -> list[Shape] | None:
    if not part.closed or not all(isinstance(item, int) for item in part.items):
        return None
    masks = bool(part.items) and all(isinstance(item, bool) for item in part.items)
    return [(None,) if masks else (len(part.items),)]


def _gathered(layout: Layout, picked: list[tuple[int, list[Shape]]]) -> Layout | None:
    """The layout after indexing with tensors: a fresh tensor.

    The dimensions of the index take the place of the first indexed one if all are neighbours,
    else they come first.
    """
    shapes = [shape for _, several in picked for shape in several]
    joined = broadcast(shapes)
    if joined is None or not shapes:
        return None
    dims = [at + i for at, several in picked for i in range(len(several))]
    if dims[-1] >= len(layout.shape):
        return None
    neighbours = dims == list(range(dims[0], dims[0] + len(dims)))
    rest = [size for i, size in enumerate(layout.shape) if i not in dims]
    place = dims[0] if neighbours else 0
    shape: Sizes = (*rest[:place], *joined, *rest[place:])
    return Layout(shape, (None,) * len(shape))

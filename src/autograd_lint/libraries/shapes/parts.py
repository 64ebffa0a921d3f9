"""Shapes and strides of the parts that `split` and the like cut a tensor into."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from autograd_lint.engine.shapes import Sizes
from autograd_lint.libraries.shapes.arguments import Arguments, position, sequence
from autograd_lint.libraries.shapes.views import Layout
from autograd_lint.vm.values import Items

MOST = 64  # parts that are told apart

# From the size that is cut and the arguments to the sizes of the parts.
Cut = Callable[[int, Arguments], list[int] | None]


def _chunk(size: int, arguments: Arguments) -> list[int] | None:
    count = arguments.number("1")
    return _pieces(size, -(-size // count)) if count and count > 0 else None


def _pieces(size: int, each: int) -> list[int]:
    if each <= 0:
        return [size]
    starts = range(0, size, each)[: MOST + 1]  # more are not told apart
    return [min(each, size - start) for start in starts] or [0]


def _split(size: int, arguments: Arguments) -> list[int] | None:
    given = arguments.get("1")
    if isinstance(given, Items):
        return _known(sequence(given))
    each = arguments.number("1")
    return _pieces(size, each) if each else None


def _known(sizes: Sizes | None) -> list[int] | None:
    if sizes is None or None in sizes:
        return None
    return [size for size in sizes if size is not None]


def _sections(size: int, arguments: Arguments) -> list[int] | None:
    """Parts of nearly equal size, or cut at given places."""
    given = arguments.get("1")
    if isinstance(given, Items):
        cuts = _known(sequence(given))
        if cuts is None:
            return None
        edges = [0, *(min(max(cut, 0), size) for cut in cuts), size]
        return [max(after - before, 0) for before, after in pairwise(edges)]
    count = arguments.number("1")
    if not count or count < 0:
        return None
    return [size // count + (i < size % count) for i in range(count)[: MOST + 1]]


CUTS: dict[str, Cut] = {
    "chunk": _chunk,
    "unsafe_chunk": _chunk,
    "split": _split,
    "unsafe_split": _split,
    "split_with_sizes": _split,
    "unsafe_split_with_sizes": _split,
    "tensor_split": _sections,
    "hsplit": _sections,
    "vsplit": _sections,
    "dsplit": _sections,
}
DIMENSIONS = {"hsplit": 1, "vsplit": 0, "dsplit": 2}  # those that take no `dim`


def part_layouts(name: str, layout: Layout, arguments: Arguments) -> list[Layout] | None:
    """The layouts of all parts, None where their number is not known."""
    rank = len(layout.shape)
    if name == "unbind":
        return _rows(layout, position(arguments.number("1", 0), rank))
    cut = CUTS.get(name)
    dim = _dimension(name, arguments, rank)
    if cut is None or dim is None or not rank:
        return None
    size = layout.shape[dim]
    sizes = cut(size, arguments) if size is not None else None
    if sizes is None or len(sizes) > MOST:
        return None
    return [layout.put(dim, (part,), (layout.strides[dim],)) for part in sizes]


def _dimension(name: str, arguments: Arguments, rank: int) -> int | None:
    if name not in DIMENSIONS:
        return position(arguments.number("2", 0), rank)
    return 0 if name == "hsplit" and rank == 1 else position(DIMENSIONS[name], rank)


def _rows(layout: Layout, dim: int | None) -> list[Layout] | None:
    if dim is None or not layout.shape:
        return None
    size = layout.shape[dim]
    if size is None or size > MOST:
        return None
    return [layout.put(dim, (), ())] * size

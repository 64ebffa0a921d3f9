"""Shapes and strides of views."""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.shapes import Shape, Sizes, dense_strides, numel, view_strides
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.shapes.arguments import Arguments, position, replaced, whole
from autograd_lint.libraries.shapes.gathering import diagonal_shape
from autograd_lint.vm.values import Items


@immutable
class Layout:
    """A shape, and the distance in memory of neighbours in each dimension (None: unknown)."""

    shape: Sizes
    strides: Sizes

    def picked(self, order: tuple[int, ...]) -> Layout:
        """The dimensions of those numbers, in that order."""
        return Layout(tuple(self.shape[i] for i in order), tuple(self.strides[i] for i in order))

    def put(self, dim: int, sizes: Sizes, strides: Sizes) -> Layout:
        """Other dimensions in the place of one."""
        return Layout(replaced(self.shape, dim, *sizes), replaced(self.strides, dim, *strides))


Rule = Callable[[Layout, Arguments], Layout | None]


def layout_of(tensor: Tensor) -> Layout | None:
    """The layout of a tensor as far as it is known; None where not even its rank is."""
    shape = tensor.shape
    if shape is None:
        return None
    if tensor.strides is not None:
        return Layout(shape, tensor.strides)
    unknown: Sizes = (None,) * len(shape)
    return Layout(shape, dense_strides(shape) if tensor.contiguous else unknown)


def _turned(layout: Layout, arguments: Arguments) -> Layout | None:
    return layout.picked(tuple(reversed(range(len(layout.shape)))))


def _last_two(layout: Layout, arguments: Arguments) -> Layout | None:
    rank = len(layout.shape)
    return layout if rank < 2 else layout.picked((*range(rank - 2), rank - 1, rank - 2))


def _transpose(layout: Layout, arguments: Arguments) -> Layout | None:
    rank = len(layout.shape)
    first, second = (position(arguments.number(key), rank) for key in ("1", "2"))
    if first is None or second is None:
        return None
    order = list(range(rank))
    if rank:
        order[first], order[second] = second, first
    return layout.picked(tuple(order))


def _permute(layout: Layout, arguments: Arguments) -> Layout | None:
    order = arguments.sizes()
    rank = len(layout.shape)
    if order is None or len(order) != rank:
        return None
    dims = [position(dim, rank) for dim in order]
    return None if None in dims else layout.picked(tuple(dim for dim in dims if dim is not None))


def _movedim(layout: Layout, arguments: Arguments) -> Layout | None:
    rank = len(layout.shape)
    sources, targets = arguments.dims("1", rank), arguments.dims("2", rank)
    if sources is None or targets is None or len(sources) != len(targets):
        return None
    wanted = dict(zip(targets, sources, strict=True))
    others = iter(dim for dim in range(rank) if dim not in sources)
    return layout.picked(tuple(wanted[i] if i in wanted else next(others) for i in range(rank)))


def expanded(layout: Layout, sizes: Shape) -> Layout | None:
    """The layout after `expand`: repeated dimensions have stride 0."""
    if sizes is None or len(sizes) < len(layout.shape):
        return None
    new = len(sizes) - len(layout.shape)
    shape = list(sizes)
    strides = [0 if i < new else layout.strides[i - new] for i in range(len(sizes))]
    for i, size in enumerate(layout.shape, new):
        if sizes[i] == -1:
            shape[i] = size
        elif size == 1 and sizes[i] != 1:
            strides[i] = 0
        elif size is None:
            strides[i] = None
    return Layout(tuple(shape), tuple(strides))


def _expand(layout: Layout, arguments: Arguments) -> Layout | None:
    return expanded(layout, arguments.sizes())


def _expand_as(layout: Layout, arguments: Arguments) -> Layout | None:
    return expanded(layout, arguments.shape("1"))


def _squeeze(layout: Layout, arguments: Arguments) -> Layout | None:
    rank = len(layout.shape)
    if "1" in arguments.bound:
        dims = arguments.dims("1", rank)
        if dims is None or any(layout.shape[dim] is None for dim in dims if rank):
            return None
        gone = {dim for dim in dims if rank and layout.shape[dim] == 1}
    elif None in layout.shape:
        return None
    else:
        gone = {dim for dim in range(rank) if layout.shape[dim] == 1}
    return layout.picked(tuple(dim for dim in range(rank) if dim not in gone))


def _unsqueeze(layout: Layout, arguments: Arguments) -> Layout | None:
    at = position(arguments.number("1"), len(layout.shape) + 1)
    return None if at is None else inserted(layout, at)


def inserted(layout: Layout, at: int) -> Layout:
    """The layout with a new dimension of size 1."""
    shape, strides = layout.shape, layout.strides
    if at == len(shape):
        step: int | None = 1
    else:
        size, stride = shape[at], strides[at]
        step = None if size is None or stride is None else size * stride
    return Layout((*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:]))


def select(layout: Layout, dim: int | None) -> Layout | None:
    """The layout without a dimension."""
    if dim is None or not layout.shape:
        return None
    return layout.put(dim, (), ())


def _select(layout: Layout, arguments: Arguments) -> Layout | None:
    return select(layout, position(arguments.number("1"), len(layout.shape)))


def _narrow(layout: Layout, arguments: Arguments) -> Layout | None:
    at = position(arguments.number("1"), len(layout.shape))
    if at is None or not layout.shape:
        return None
    return layout.put(at, (arguments.number("3"),), (layout.strides[at],))


def _diagonal(layout: Layout, arguments: Arguments) -> Layout | None:
    rank = len(layout.shape)
    offset = arguments.number("1", 0)
    first = position(arguments.number("2", 0), rank)
    second = position(arguments.number("3", 1), rank)
    return _across(layout, offset, first, second)


def _of_matrices(layout: Layout, arguments: Arguments) -> Layout | None:
    """`linalg.diagonal(A, *, offset, dim1, dim2)`: of the last two dimensions by default."""
    rank = len(layout.shape)
    first = position(arguments.number("dim1", -2), rank)
    second = position(arguments.number("dim2", -1), rank)
    return _across(layout, arguments.number("offset", 0), first, second)


def _across(
    layout: Layout, offset: int | None, first: int | None, second: int | None
) -> Layout | None:
    """The diagonal of two dimensions."""
    rank = len(layout.shape)
    if offset is None or first is None or second is None or rank < 2:
        return None
    shape = diagonal_shape(layout.shape, offset, first, second)
    steps = (layout.strides[first], layout.strides[second])
    step = None if steps[0] is None or steps[1] is None else steps[0] + steps[1]
    others = (layout.strides[i] for i in range(rank) if i not in (first, second))
    return None if shape is None else Layout(shape, (*others, step))


def _unfold(layout: Layout, arguments: Arguments) -> Layout | None:
    at = position(arguments.number("1"), len(layout.shape))
    size, step = arguments.number("2"), arguments.number("3")
    if at is None or size is None or not step or not layout.shape:
        return None
    whole_size, stride = layout.shape[at], layout.strides[at]
    count = None if whole_size is None else (whole_size - size) // step + 1
    windows = layout.put(at, (count,), (None if stride is None else stride * step,))
    return Layout((*windows.shape, size), (*windows.strides, stride))


def _as_strided(layout: Layout, arguments: Arguments) -> Layout | None:
    sizes, strides = arguments.get("1"), arguments.get("2")
    if not isinstance(sizes, Items) or not isinstance(strides, Items):
        return None
    if not sizes.closed or len(sizes.items) != len(strides.items):
        return None
    return Layout(
        tuple(whole(size) for size in sizes.items), tuple(whole(step) for step in strides.items)
    )


def completed(shape: Sizes, wanted: Sizes) -> Sizes:
    """The wanted sizes with the number that a -1 among them stands for."""
    total = numel(shape)
    others = numel(tuple(size for size in wanted if size != -1))
    missing = total // others if total is not None and others else None
    return tuple(missing if size == -1 else size for size in wanted)


def reshaped(layout: Layout, wanted: Shape) -> Layout | None:
    """The layout of the same memory seen in another shape, the strides unknown where they are.

    A size that is not known might be -1: then nothing is known of the others.
    """
    if wanted is None:
        return None
    shape = completed(layout.shape, wanted)
    if None in shape or None in layout.shape or None in layout.strides:
        return Layout(shape, (None,) * len(shape))
    strides = view_strides(layout.shape, layout.strides, shape)
    return Layout(shape, strides if strides is not None else (None,) * len(shape))


def _view(layout: Layout, arguments: Arguments) -> Layout | None:
    if not isinstance(arguments.get("1"), (int, Items)) and "2" not in arguments.bound:
        return None
    return reshaped(layout, arguments.sizes())


def _view_as(layout: Layout, arguments: Arguments) -> Layout | None:
    return reshaped(layout, arguments.shape("1"))


def _flatten(layout: Layout, arguments: Arguments) -> Layout | None:
    rank = len(layout.shape)
    first = position(arguments.number("1", 0), rank)
    last = position(arguments.number("2", -1), rank)
    if first is None or last is None or first > last:
        return None
    joined = numel(layout.shape[first : last + 1]) if rank else 1
    return reshaped(layout, (*layout.shape[:first], joined, *layout.shape[last + 1 :]))


def _ravel(layout: Layout, arguments: Arguments) -> Layout | None:
    return reshaped(layout, (numel(layout.shape),))


def _unflatten(layout: Layout, arguments: Arguments) -> Layout | None:
    at = position(arguments.number("1"), len(layout.shape))
    sizes = arguments.sizes(2)
    if at is None or sizes is None or not layout.shape:
        return None
    return reshaped(layout, replaced(layout.shape, at, *completed((layout.shape[at],), sizes)))


def _same(layout: Layout, arguments: Arguments) -> Layout | None:
    return layout


RULES: dict[str, Rule] = {
    **dict.fromkeys(("t", "T", "H"), _turned),
    **dict.fromkeys(("mT", "mH", "adjoint"), _last_two),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), _transpose),
    **dict.fromkeys(("movedim", "moveaxis"), _movedim),
    **dict.fromkeys(("detach", "alias", "positive", "conj", "resolve_conj"), _same),
    **dict.fromkeys(("view", "reshape"), _view),
    **dict.fromkeys(("view_as", "reshape_as"), _view_as),
    "permute": _permute,
    "expand": _expand,
    "broadcast_to": _expand,
    "expand_as": _expand_as,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "select": _select,
    "narrow": _narrow,
    "diagonal": _diagonal,
    "linalg.diagonal": _of_matrices,
    "unfold": _unfold,
    "as_strided": _as_strided,
    "flatten": _flatten,
    "ravel": _ravel,
    "unflatten": _unflatten,
}

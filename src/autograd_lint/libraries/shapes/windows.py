"""Shapes of windows that slide over the last dimensions: convolutions, pooling, resizing.

Source of the formulas: the pages of `torch.nn.Conv2d` and `torch.nn.ConvTranspose2d`.
"""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.shapes import Shape, Size, Sizes
from autograd_lint.immutable import immutable
from autograd_lint.libraries.shapes.arguments import (
    Arguments,
    Rule,
    position,
    replaced,
    times,
    whole,
)
from autograd_lint.vm.values import Items, Value


@immutable
class Options:
    """The options of one call, by position (`places` says where) or by name."""

    arguments: Arguments
    places: dict[str, str]

    def get(self, name: str) -> Value:
        """The value of an option, None where it is not given."""
        given = self.arguments.get(self.places.get(name, name))
        return self.arguments.get(name) if given is None else given

    def size(self, name: str, at: int, default: Size) -> Size:
        """One number of an option that is a number or a sequence of them; None if unknown."""
        value = self.get(name)
        if value is None:
            return default
        if isinstance(value, Items):
            return whole(value.items[at]) if at < len(value.items) else None
        return whole(value)


_CONVOLUTION = {"stride": "3", "padding": "4", "dilation": "5"}
_TRANSPOSED = {
    "stride": "3",
    "padding": "4",
    "output_padding": "5",
    "groups": "6",
    "dilation": "7",
}
_POOLING = {"kernel_size": "1", "stride": "2", "padding": "3"}
_MAX_POOL = _POOLING | {"dilation": "4", "ceil_mode": "5"}
_AVG_POOL = _POOLING | {"ceil_mode": "4"}
_LP_POOL = {"kernel_size": "2", "stride": "3", "ceil_mode": "4"}
_RESIZING = {"size": "1", "scale_factor": "2"}


def slid(size: Size, kernel: Size, options: Options, at: int, stride: Size) -> Size:
    """How often a window fits; `stride` is how far it moves where that is not given."""
    stride = options.size("stride", at, stride)
    padding = options.size("padding", at, 0)
    dilation = options.size("dilation", at, 1)
    if size is None or kernel is None or padding is None or dilation is None or not stride:
        return None
    if options.get("ceil_mode"):
        return None
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def transposed(size: Size, kernel: Size, options: Options, at: int) -> Size:
    """The size from which windows would have made this one."""
    stride, padding = options.size("stride", at, 1), options.size("padding", at, 0)
    dilation, more = options.size("dilation", at, 1), options.size("output_padding", at, 0)
    if size is None or kernel is None or stride is None or padding is None:
        return None
    if dilation is None or more is None:
        return None
    return (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1


def _resized(size: Size, options: Options, at: int) -> Size:
    if options.get("size") is not None:
        return options.size("size", at, None)
    factor = options.get("scale_factor")
    if isinstance(factor, Items):
        factor = factor.items[at] if at < len(factor.items) else None
    if size is None or not isinstance(factor, int | float):
        return None
    return int(size * factor)


def _convolution(dimensions: int) -> Rule:
    return _weighted(dimensions, _CONVOLUTION, _rows_of, _slid_by_one)


def _transposed_convolution(dimensions: int) -> Rule:
    return _weighted(dimensions, _TRANSPOSED, _columns_of, transposed)


def _weighted(
    dimensions: int,
    places: dict[str, str],
    channels: Callable[[Sizes, Options], Size],
    window: Callable[[Size, Size, Options, int], Size],
) -> Rule:
    """The rule of a convolution with a weight, whose last dimensions are the windows."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        weight = arguments.shape("1") or arguments.shape("weight")
        if weight is None or len(weight) != dimensions + 2 or len(shape) <= dimensions:
            return None
        options = Options(arguments, places)
        pairs = enumerate(zip(shape[-dimensions:], weight[-dimensions:], strict=True))
        found = (window(size, kernel, options, i) for i, (size, kernel) in pairs)
        return (*shape[: -dimensions - 1], channels(weight, options), *found)

    return rule


def _rows_of(weight: Sizes, options: Options) -> Size:
    return weight[0]


def _columns_of(weight: Sizes, options: Options) -> Size:
    """The channels of a transposed convolution, where it is not one of groups."""
    return weight[1] if options.get("groups") in (None, 1) else None


def _slid_by_one(size: Size, kernel: Size, options: Options, at: int) -> Size:
    return slid(size, kernel, options, at, 1)


def _pooling(dimensions: int, places: dict[str, str]) -> Rule:
    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        if len(shape) <= dimensions:
            return None
        options = Options(arguments, places)
        sizes = enumerate(shape[-dimensions:])
        found = (_pooled(size, options, i) for i, size in sizes)
        return (*shape[:-dimensions], *found)

    return rule


def _pooled(size: Size, options: Options, at: int) -> Size:
    kernel = options.size("kernel_size", at, None)
    return slid(size, kernel, options, at, kernel)


def adaptive(dimensions: int) -> Rule:
    """The rule of pooling to sizes that are asked for, of a function or a layer."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        options = Options(arguments, {"output_size": "1"})
        wanted = (options.size("output_size", i, None) for i in range(dimensions))
        return (*shape[:-dimensions], *wanted) if len(shape) > dimensions else None

    return rule


def interpolated(shape: Sizes, arguments: Arguments) -> Shape:
    """The shape of `interpolate(input, size, scale_factor)`, and of the layer `Upsample`."""
    if len(shape) <= 2:
        return None
    options = Options(arguments, _RESIZING)
    return (*shape[:2], *(_resized(size, options, i) for i, size in enumerate(shape[2:])))


def _sampled(shape: Sizes, arguments: Arguments) -> Shape:
    """`grid_sample(input, grid)`: the grid has the place of each result, and its coordinates."""
    grid = arguments.shape("1") or arguments.shape("grid")
    return None if grid is None or len(grid) < 3 else (*shape[:2], *grid[1:-1])


def shuffled(shape: Sizes, arguments: Arguments) -> Shape:
    """`pixel_shuffle(input, factor)`: channels become rows and columns."""
    factor = arguments.number("1")
    if len(shape) < 3 or not factor:
        return None
    channels, rows, columns = shape[-3:]
    fewer = None if channels is None else channels // factor**2
    return (*shape[:-3], fewer, times(rows, factor), times(columns, factor))


def unshuffled(shape: Sizes, arguments: Arguments) -> Shape:
    """`pixel_unshuffle(input, factor)`: rows and columns become channels."""
    factor = arguments.number("1")
    if len(shape) < 3 or not factor:
        return None
    channels, rows, columns = shape[-3:]
    smaller = (None if size is None else size // factor for size in (rows, columns))
    return (*shape[:-3], times(channels, factor**2), *smaller)


def gated(shape: Sizes, arguments: Arguments) -> Shape:
    """`glu(input, dim)`: one half gates the other."""
    at = position(arguments.number("1", -1), len(shape))
    size = None if at is None or not shape else shape[at]
    return None if at is None or size is None else replaced(shape, at, size // 2)


def _unfolded(shape: Sizes, arguments: Arguments) -> Shape:
    """`unfold(input, kernel_size)`: a column for each window, whose number is not computed."""
    return (*shape[:-3], None, None) if len(shape) in (3, 4) else None


RULES: dict[str, Rule] = {
    **{f"nn.functional.conv{n}d": _convolution(n) for n in (1, 2, 3)},
    **{f"nn.functional.conv_transpose{n}d": _transposed_convolution(n) for n in (1, 2, 3)},
    **{f"nn.functional.max_pool{n}d": _pooling(n, _MAX_POOL) for n in (1, 2, 3)},
    **{f"nn.functional.lp_pool{n}d": _pooling(n, _LP_POOL) for n in (1, 2, 3)},
    **{f"nn.functional.avg_pool{n}d": _pooling(n, _AVG_POOL) for n in (1, 2, 3)},
    **{
        f"nn.functional.adaptive_{kind}_pool{n}d": adaptive(n)
        for kind in ("max", "avg")
        for n in (1, 2, 3)
    },
    "nn.functional.interpolate": interpolated,
    "nn.functional.upsample": interpolated,
    "nn.functional.upsample_nearest": interpolated,
    "nn.functional.upsample_bilinear": interpolated,
    "nn.functional.grid_sample": _sampled,
    "nn.functional.pixel_shuffle": shuffled,
    "pixel_shuffle": shuffled,
    "nn.functional.pixel_unshuffle": unshuffled,
    "pixel_unshuffle": unshuffled,
    "nn.functional.unfold": _unfolded,
    "nn.functional.glu": gated,
}

"""Shapes of what layers compute, by the options they were made with."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.engine.shapes import Shape, Size, Sizes
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.shapes import reductions, windows
from autograd_lint.libraries.shapes.arguments import (
    Arguments,
    Rule,
    position,
    replaced,
    sequence,
    times,
    whole,
)
from autograd_lint.libraries.shapes.joining import padded
from autograd_lint.libraries.shapes.windows import (
    Options,
    adaptive,
    interpolated,
    slid,
    transposed,
)
from autograd_lint.vm.contents import elements
from autograd_lint.vm.values import Items, Value

# Losses that give one number for each row of their inputs where nothing is averaged.
ROW_LOSSES = {
    *("CosineEmbedding", "TripletMargin", "TripletMarginWithDistance"),
    *("MultiMargin", "MultiLabelMargin", "MultiLabelSoftMargin"),
}
ELEMENTWISE_LOSSES = {
    *("BCE", "BCEWithLogits", "MSE", "L1", "SmoothL1", "Huber", "KLDiv", "SoftMargin"),
    *("HingeEmbedding", "MarginRanking", "GaussianNLL", "PoissonNLL"),
}
PADDED = ("Constant", "Zero", "Reflection", "Replication", "Circular")
SAME = {
    *(f"{lazy}InstanceNorm{n}d" for lazy in ("", "Lazy") for n in (1, 2, 3)),
    *(f"LazyBatchNorm{n}d" for n in (1, 2, 3)),
    *("TransformerEncoderLayer", "TransformerDecoderLayer"),
    *("TransformerEncoder", "TransformerDecoder", "MultiheadAttention"),
}


def infer_layer(name: str, arguments: Arguments, result: Value) -> None:
    """Give the results of a layer their shapes, where the table could not; `arguments` holds its
    options by name and what it was called with by position."""
    shape = arguments.shape("0")
    if shape is None:
        return
    outer = elements(result)
    if name in RECURRENT:
        _settle(outer, RECURRENT[name](shape, arguments))
    elif name in RULES:
        _settle(outer[:1], iter([RULES[name](shape, arguments)]))


def _settle(values: list[Value], shapes: Iterator[Shape]) -> None:
    for value, shape in zip(values, shapes, strict=False):
        if isinstance(value, Tensor) and shape is not None:
            value.shape = shape


def _sequence(shape: Sizes, arguments: Arguments) -> Iterator[Shape]:
    """What `LSTM` and the like give: all steps, then the last states."""
    directions = 2 if arguments.get("bidirectional") is True else 1
    layers = times(arguments.number("num_layers", 1), directions)
    width = arguments.number("hidden_size")
    if len(shape) not in (2, 3):
        return
    projected = arguments.number("proj_size", 0) or width
    yield (*shape[:-1], times(projected, directions))
    batch = shape[:-2][:1] if arguments.get("batch_first") is True else shape[1:-1]
    yield (layers, *batch, projected)
    yield (layers, *batch, width)


def _cell(shape: Sizes, arguments: Arguments) -> Iterator[Shape]:
    for _ in range(2):
        yield (*shape[:-1], arguments.number("hidden_size"))


def _embedding(shape: Sizes, arguments: Arguments) -> Shape:
    return (*shape, arguments.number("embedding_dim"))


def _convolution(dimensions: int) -> Rule:
    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        channels = arguments.number("out_channels")
        return _windows(replaced(shape, -dimensions - 1, channels), dimensions, arguments)

    return rule


def _transposed(dimensions: int) -> Rule:
    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        if len(shape) <= dimensions:
            return None
        options = Options(arguments, {})
        kept, sizes = shape[: -dimensions - 1], shape[-dimensions:]
        kernels = (options.size("kernel_size", i, None) for i in range(dimensions))
        pairs = enumerate(zip(sizes, kernels, strict=True))
        found = (transposed(size, kernel, options, i) for i, (size, kernel) in pairs)
        return (*kept, arguments.number("out_channels"), *found)

    return rule


def _pooling(dimensions: int) -> Rule:
    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        return _windows(shape, dimensions, arguments)

    return rule


def _windows(shape: Sizes, dimensions: int, arguments: Arguments) -> Shape:
    """The shape when windows slide over the last dimensions."""
    if len(shape) - dimensions not in (1, 2):
        return None
    options = Options(arguments, {})
    sizes = enumerate(shape[-dimensions:])
    return (*shape[:-dimensions], *(_window(size, options, i) for i, size in sizes))


def _window(size: Size, options: Options, at: int) -> Size:
    kernel = options.size("kernel_size", at, None)
    stride = 1 if "out_channels" in options.arguments.bound else kernel
    return slid(size, kernel, options, at, stride)


def _of_features(shape: Sizes, arguments: Arguments) -> Shape:
    return (*shape[:-1], arguments.number("out_features"))


def _bags(shape: Sizes, arguments: Arguments) -> Shape:
    """One row for each bag of a matrix of indices."""
    return (shape[0], arguments.number("embedding_dim")) if len(shape) == 2 else None


def _similarity(shape: Sizes, arguments: Arguments) -> Shape:
    dim = position(arguments.number("dim", 1), len(shape))
    return None if dim is None else reductions.reduce(shape, {dim}, False)


def _distance(shape: Sizes, arguments: Arguments) -> Shape:
    return (*shape[:-1], 1) if arguments.get("keepdim") else shape[:-1]


def _padded(dimensions: int) -> Rule:
    """`padding` is one number for all sides, or two for each dimension, the last one first."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        given = arguments.get("padding")
        width = whole(given)
        listed = sequence(given) if isinstance(given, Items) else (width,) * (2 * dimensions)
        return None if listed is None else padded(shape, listed)

    return rule


def _by_factor(rule: Rule, option: str) -> Rule:
    """The rule of a function that takes one number, which the layer was made with."""

    def of_layer(shape: Sizes, arguments: Arguments) -> Shape:
        given = {"1": arguments.get(option)} if arguments.given(option) else {}
        return rule(shape, Arguments(given))

    return of_layer


def _unflattened(shape: Sizes, arguments: Arguments) -> Shape:
    at = position(arguments.number("dim"), len(shape))
    given = arguments.get("unflattened_size")
    sizes = sequence(given) if isinstance(given, Items) else None
    if at is None or not sizes:
        return None
    return replaced(shape, at, *(None if size == -1 else size for size in sizes))


def _predictions(shape: Sizes, arguments: Arguments) -> Shape:
    """A loss of each row, and there of each of `out_features` predictions."""
    given = arguments.get("out_features")
    more = sequence(given) if isinstance(given, Items) else (whole(given),)
    return None if more is None or given is None else (*shape[:-1], *more)


def _same(shape: Sizes, arguments: Arguments) -> Shape:
    return shape


RECURRENT = {
    **dict.fromkeys(("nn.LSTM", "nn.GRU", "nn.RNN"), _sequence),
    **dict.fromkeys(("nn.LSTMCell", "nn.GRUCell", "nn.RNNCell"), _cell),
}
RULES: dict[str, Rule] = {
    "nn.Embedding": _embedding,
    "nn.EmbeddingBag": _bags,
    "nn.Bilinear": _of_features,
    "nn.Upsample": interpolated,
    "nn.CosineSimilarity": _similarity,
    "nn.CrossEntropyLoss": reductions.unreduced(reductions.classification),
    "nn.NLLLoss": reductions.unreduced(reductions.classification),
    "nn.PairwiseDistance": _distance,
    "nn.LinearCrossEntropyLoss": reductions.unreduced(_predictions),
    "nn.Unflatten": _unflattened,
    "nn.PixelShuffle": _by_factor(windows.shuffled, "upscale_factor"),
    "nn.PixelUnshuffle": _by_factor(windows.unshuffled, "downscale_factor"),
    "nn.GLU": _by_factor(windows.gated, "dim"),
    "nn.LazyLinear": _of_features,
    **{f"nn.Upsampling{kind}2d": interpolated for kind in ("Nearest", "Bilinear")},
    **{f"nn.{name}Loss": reductions.unreduced(reductions.rows) for name in ROW_LOSSES},
    **{f"nn.{name}Loss": reductions.unreduced(reductions.loss) for name in ELEMENTWISE_LOSSES},
    **{f"nn.{kind}Pad{n}d": _padded(n) for kind in PADDED for n in (1, 2, 3)},
    **{f"nn.LazyConv{n}d": _convolution(n) for n in (1, 2, 3)},
    **{f"nn.LazyConvTranspose{n}d": _transposed(n) for n in (1, 2, 3)},
    **{f"nn.LPPool{n}d": _pooling(n) for n in (1, 2, 3)},
    **{f"nn.{name}": _same for name in SAME},
    **{f"nn.Conv{n}d": _convolution(n) for n in (1, 2, 3)},
    **{f"nn.ConvTranspose{n}d": _transposed(n) for n in (1, 2, 3)},
    **{f"nn.{kind}Pool{n}d": _pooling(n) for kind in ("Max", "Avg") for n in (1, 2, 3)},
    **{f"nn.Adaptive{kind}Pool{n}d": adaptive(n) for kind in ("Max", "Avg") for n in (1, 2, 3)},
}

"""Samples of layers: torch's own, and ours for the options that those leave out."""

import typing
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from torch import nn

from autograd_lint.operators.measure.signatures import Signature, of_python


@dataclass(frozen=True)
class LayerSample:
    """What a layer is constructed with, and what it is called with."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]
    inputs: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)


def names() -> list[str]:
    """The layers there are samples of, `nn.Linear` and so on."""
    return sorted({*_infos(), *_OWN})


def layer(name: str) -> type[nn.Module]:
    """The class of a layer."""
    found = getattr(nn, name.rpartition(".")[2])
    assert isinstance(found, type)
    return found


def samples(name: str) -> Iterator[LayerSample]:
    """Our samples of a layer, then torch's."""
    torch.manual_seed(0)
    yield from _OWN.get(name, list)()
    yield from _with_options(name)
    yield from _theirs(name)


@cache
def _infos() -> dict[str, Any]:
    from torch.testing._internal.common_modules import module_db

    known = {f"nn.{info.module_cls.__name__}": info for info in module_db}
    return {name: info for name, info in known.items() if hasattr(nn, name[3:])}


def _theirs(name: str) -> Iterator[LayerSample]:
    info = _infos().get(name)
    if info is None:
        return
    for training in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
        yield from (_sample(each) for each in given if each.forward_input is not None)


def _sample(given: Any) -> LayerSample:
    made, called = given.constructor_input, given.forward_input
    return LayerSample(tuple(made.args), dict(made.kwargs), tuple(called.args), dict(called.kwargs))


def constructor(layer: type[nn.Module]) -> Signature:
    """The constructor's signature; recurrent layers show theirs in their first overload only."""
    overloads = typing.get_overloads(layer.__init__)
    return of_python(overloads[0] if overloads else layer.__init__, skip=1)


def _with_options(name: str) -> Iterator[LayerSample]:
    """Samples of every option that matters to autograd, on the plainest call of a layer."""
    plain = next(iter(_theirs(name)), None)
    if plain is None:
        return
    yield plain
    words = list(constructor(layer(name)).keywords)
    given = dict(zip(words, plain.arguments, strict=False)) | plain.options
    for option, values in _OPTIONS.items():
        if option in words:
            for value in values:
                yield LayerSample((), {**given, option: value}, plain.inputs, plain.named)


_OPTIONS: dict[str, tuple[Any, ...]] = {
    "inplace": (True,),
    "bias": (False,),
    "affine": (False,),
    "elementwise_affine": (False,),
    "track_running_stats": (False,),
    "reduction": ("none", "sum"),
    "p": (0.0,),
    "dropout": (0.0,),
}


def _recurrent(name: str) -> list[LayerSample]:
    data = torch.randn(5, 3, 4)
    state = torch.zeros(1, 3, 6)
    states = (state, state.clone()) if name == "LSTM" else state
    options: list[dict[str, Any]] = [
        {},
        {"bias": False},
        {"num_layers": 2},
        {"num_layers": 3, "dropout": 0.5},
        {"bidirectional": True},
        {"bidirectional": True, "num_layers": 2},
    ]
    plain = [LayerSample((4, 6), each, (data,)) for each in options]
    first = [LayerSample((4, 6), {**each, "batch_first": True}, (data,)) for each in options]
    given = LayerSample((4, 6), {}, (data, states))
    projected = LayerSample((4, 6), {"proj_size": 3}, (data,))
    return [plain[0], given, *plain[1:], *first, *([projected] if name == "LSTM" else [])]


def _dropouts(*shape: int) -> list[LayerSample]:
    data = torch.randn(shape)
    options: list[dict[str, Any]] = [
        {},
        {"p": 0.3},
        {"p": 0.0},
        {"inplace": True},
        {"p": 0.0, "inplace": True},
    ]
    return [LayerSample((), each, (data,)) for each in options]


def _lazy(shape: tuple[int, ...], *arguments: Any) -> list[LayerSample]:
    data = torch.randn(shape)
    return [LayerSample(arguments, {}, (data,))]


def _normalised(rank: int) -> list[LayerSample]:
    data = torch.randn((4, 3, 5, 5, 5)[: rank + 2])
    options: list[dict[str, Any]] = [{}, {"affine": False}, {"track_running_stats": False}]
    return [LayerSample((), each, (data,)) for each in options]


def _unpooled(rank: int) -> list[LayerSample]:
    shape = (1, 2, *(2,) * rank)
    places = torch.arange(2 * 2**rank).reshape(shape) % 2**rank
    return [LayerSample((2,), {}, (torch.randn(shape), places))]


def _triplet() -> list[LayerSample]:
    data = tuple(torch.randn(3, 4) for _ in range(3))
    options: list[dict[str, Any]] = [{}, {"reduction": "none"}, {"swap": True}]
    return [LayerSample((), each, data) for each in options]


def _pictures(*shape: int, arguments: tuple[Any, ...] = (), **options: Any) -> list[LayerSample]:
    return [LayerSample(arguments, options, (torch.randn(shape),))]


def _bag() -> list[LayerSample]:
    words = torch.randint(0, 5, (2, 3))
    return [LayerSample((5, 4), {"mode": mode}, (words,)) for mode in ("mean", "sum", "max")]


def _decoder() -> list[LayerSample]:
    made = nn.TransformerDecoderLayer(8, 2, 8)
    return [LayerSample((made, 2), {}, (torch.randn(3, 2, 8), torch.randn(3, 2, 8)))]


def _adaptive_loss() -> list[LayerSample]:
    return [LayerSample((8, 10, [4]), {}, (torch.randn(3, 8), torch.tensor([0, 5, 9])))]


_OWN: dict[str, Any] = {
    "nn.LazyBatchNorm1d": lambda: _normalised(1),
    "nn.LazyBatchNorm2d": lambda: _normalised(2),
    "nn.LazyBatchNorm3d": lambda: _normalised(3),
    "nn.LazyInstanceNorm1d": lambda: _normalised(1),
    "nn.LazyInstanceNorm2d": lambda: _normalised(2),
    "nn.LazyInstanceNorm3d": lambda: _normalised(3),
    "nn.LazyLinear": lambda: [
        *_pictures(3, 4, arguments=(5,)),
        *_pictures(3, 4, arguments=(5,), bias=False),
    ],
    "nn.MaxUnpool1d": lambda: _unpooled(1),
    "nn.MaxUnpool2d": lambda: _unpooled(2),
    "nn.MaxUnpool3d": lambda: _unpooled(3),
    "nn.TripletMarginLoss": _triplet,
    "nn.TripletMarginWithDistanceLoss": _triplet,
    "nn.CosineSimilarity": lambda: [LayerSample((), {}, (torch.randn(3, 4), torch.randn(3, 4)))],
    "nn.PairwiseDistance": lambda: [LayerSample((), {}, (torch.randn(3, 4), torch.randn(3, 4)))],
    "nn.Hardsigmoid": lambda: [*_pictures(3, 4), *_pictures(3, 4, inplace=True)],
    "nn.RReLU": lambda: [*_pictures(3, 4), *_pictures(3, 4, inplace=True)],
    "nn.ChannelShuffle": lambda: _pictures(1, 4, 2, 2, arguments=(2,)),
    "nn.PixelShuffle": lambda: _pictures(1, 4, 2, 2, arguments=(2,)),
    "nn.PixelUnshuffle": lambda: _pictures(1, 1, 4, 4, arguments=(2,)),
    "nn.Fold": lambda: _pictures(1, 12, 9, arguments=((4, 4), (2, 2))),
    "nn.Unfold": lambda: _pictures(1, 3, 4, 4, arguments=((2, 2),)),
    "nn.CrossMapLRN2d": lambda: _pictures(1, 4, 3, 3, arguments=(2,)),
    "nn.Upsample": lambda: [
        *_pictures(1, 3, 4, 4, scale_factor=2),
        *_pictures(1, 3, 4, 4, scale_factor=2, mode="bilinear"),
    ],
    "nn.UpsamplingBilinear2d": lambda: _pictures(1, 3, 4, 4, scale_factor=2),
    "nn.UpsamplingNearest2d": lambda: _pictures(1, 3, 4, 4, scale_factor=2),
    "nn.EmbeddingBag": _bag,
    "nn.TransformerDecoder": _decoder,
    "nn.AdaptiveLogSoftmaxWithLoss": _adaptive_loss,
    "nn.LSTM": lambda: _recurrent("LSTM"),
    "nn.GRU": lambda: _recurrent("GRU"),
    "nn.RNN": lambda: _recurrent("RNN"),
    "nn.Dropout": lambda: _dropouts(3, 4),
    "nn.Dropout1d": lambda: _dropouts(2, 3, 4),
    "nn.Dropout2d": lambda: _dropouts(2, 3, 4, 4),
    "nn.Dropout3d": lambda: _dropouts(2, 3, 4, 4, 4),
    "nn.AlphaDropout": lambda: _dropouts(3, 4),
    "nn.FeatureAlphaDropout": lambda: _dropouts(2, 3, 4, 4),
    "nn.Flatten": lambda: _lazy((2, 3, 4)),
    "nn.Unflatten": lambda: _lazy((2, 12), 1, (3, 4)),
    "nn.Identity": lambda: _lazy((2, 3)),
    "nn.FractionalMaxPool2d": lambda: _lazy((2, 3, 6, 6), 2, (3, 3)),
    "nn.FractionalMaxPool3d": lambda: _lazy((2, 3, 6, 6, 6), 2, (3, 3, 3)),
}

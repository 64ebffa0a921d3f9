"""Samples from torch's own test suite: the inputs that `OpInfo` makes for every operator."""

import warnings
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import torch

Sample = tuple[tuple[Any, ...], dict[str, Any]]

_MOST_SAMPLES = 400
# Functions of `torch` that take the same arguments in the same order as those of `nn.functional`.
_SAME = frozenset(
    [
        "adaptive_avg_pool1d",
        "adaptive_max_pool1d",
        "avg_pool1d",
        "bilinear",
        "binary_cross_entropy_with_logits",
        "channel_shuffle",
        "cosine_embedding_loss",
        "cosine_similarity",
        "ctc_loss",
        "hinge_embedding_loss",
        "instance_norm",
        "kl_div",
        "margin_ranking_loss",
        "max_pool1d",
        "max_pool2d",
        "max_pool3d",
        "pairwise_distance",
        "pdist",
        "poisson_nll_loss",
        "rrelu",
        "selu",
        "triplet_margin_loss",
        "celu",
        "grid_sampler",
    ]
)


@cache
def _infos() -> dict[str, list[Any]]:
    from torch.testing._internal.common_methods_invocations import op_db

    found: dict[str, list[Any]] = {}
    for info in op_db:
        for name in {info.name, *(alias.name for alias in info.aliases)}:
            found.setdefault(name, []).append(info)
    return found


def names() -> list[str]:
    """The operators that torch has samples of, their other names too."""
    functional = (name.removeprefix("nn.functional.") for name in _infos())
    return [*_infos(), *(name for name in functional if name in _SAME)]


def samples(name: str) -> Iterator[Sample]:
    """Positional and keyword arguments for calls of an operator; nothing where torch has none.

    `torch.max_pool1d` and the like are the functions of `nn.functional` by another name.
    """
    infos = _infos()
    for info in infos.get(name) or infos.get(f"nn.functional.{name}") or []:
        yield from islice(_samples_of(info), _MOST_SAMPLES)


def _samples_of(info: Any) -> Iterator[Sample]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for sample in info.sample_inputs("cpu", _dtype(info), requires_grad=False):
                yield (sample.input, *sample.args), dict(sample.kwargs)
        except Exception:  # some samples need what this torch was not built with
            return


def _dtype(info: Any) -> torch.dtype:
    supported = info.supported_dtypes("cpu")
    wanted = (torch.float32, torch.complex64, torch.int64, torch.bool)
    return next((dtype for dtype in wanted if dtype in supported), torch.float32)

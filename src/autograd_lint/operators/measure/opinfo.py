"""Samples from torch's own test suite: the inputs that `OpInfo` makes for every operator."""

import warnings
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import torch

Sample = tuple[tuple[Any, ...], dict[str, Any]]

_MOST_SAMPLES = 150


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
    return list(_infos())


def samples(name: str) -> Iterator[Sample]:
    """Positional and keyword arguments for calls of an operator; nothing where torch has none."""
    for info in _infos().get(name, ()):
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

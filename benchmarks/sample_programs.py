"""Torch's own samples of operators and layers, written down as Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from autograd_lint.operators.measure import functions, layer_samples
from autograd_lint.operators.measure.names import resolve
from autograd_lint.operators.measure.signatures import signature_of
from autograd_lint.operators.table import load

HEAD = "import torch\nfrom torch import nn\n"


@dataclass(frozen=True)
class Sample:
    """The expression that makes each tensor of a call, by name, and the call itself."""

    tensors: dict[str, str]
    call: str

    def program(self) -> str:
        """A program that keeps what the call gives as `h`."""
        made = "".join(f"{name} = {value}\n" for name, value in self.tensors.items())
        return f"{HEAD}{made}h = {self.call}\n"


class Unwritten(Exception):
    """A sample that cannot be written down."""


def names() -> list[str]:
    """The operators and layers of the table that there are samples of, in one order by chance."""
    found = sorted({*functions.function_names(), *layer_samples.names()} & {*load()})
    random.Random(0).shuffle(found)
    return found


def samples(name: str) -> Iterator[Sample]:
    """The samples of an operator or a layer."""
    if name in layer_samples.names():
        for one in layer_samples.samples(name):
            yield from _written(name, one.arguments, one.options, one.inputs, one.named)
        return
    for arguments, named in functions._samples(name, signature_of(name, resolve(name))):
        yield from _written(f"torch.{name}", arguments, named)


def _written(
    called: str,
    arguments: tuple[object, ...],
    named: dict[str, object],
    inputs: tuple[object, ...] | None = None,
    options: dict[str, object] | None = None,
) -> Iterator[Sample]:
    made: dict[str, str] = {}
    try:
        call = f"{called}({_given(arguments, named, made)})"
        if inputs is not None:
            call += f"({_given(inputs, options or {}, made)})"
    except Unwritten:
        return
    yield Sample(made, call)


def _given(arguments: tuple[object, ...], named: dict[str, object], made: dict[str, str]) -> str:
    given = [_text(one, made) for one in arguments]
    return ", ".join([*given, *(f"{word}={_text(one, made)}" for word, one in named.items())])


def _text(value: object, made: dict[str, str]) -> str:
    """An argument as Python; each tensor gets a name in `made`."""
    if isinstance(value, torch.Tensor):
        name = f"t{len(made)}"
        made[name] = _tensor(value)
        return name
    if isinstance(value, (list, tuple)):
        parts = ", ".join(_text(one, made) for one in value)
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    if value is None or isinstance(value, (int, float, str, torch.dtype)):
        return str(value) if isinstance(value, torch.dtype) else repr(value)
    raise Unwritten


def _tensor(value: torch.Tensor) -> str:
    size = tuple(value.shape)
    if value.dtype.is_floating_point:
        return f"torch.rand({size})"
    if value.dtype == torch.bool:
        return f"torch.rand({size}) > 0.5"
    if value.dtype == torch.int64:
        return f"torch.zeros({size}, dtype=torch.int64)"
    raise Unwritten

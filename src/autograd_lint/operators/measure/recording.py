"""Calls that the table rests on, kept with what was seen of them: another torch is asked the same.

The samples of torch's own test suite change from version to version: what differs between two
tables might be a difference of samples.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO

import torch

from autograd_lint.operators.measure import functions, layer_samples, layers
from autograd_lint.operators.measure.layer_samples import LayerSample
from autograd_lint.operators.measure.names import resolve
from autograd_lint.operators.measure.opinfo import Sample
from autograd_lint.operators.measure.public import public_names
from autograd_lint.operators.measure.signatures import signature_of
from autograd_lint.operators.measure.trials import Case


@dataclass(frozen=True)
class Recorded:
    """What was seen of a call: of a function with a sample, or of a layer made of one.

    `training` is the mode of the layer.
    """

    sample: Sample | LayerSample
    training: bool
    case: Case


@dataclass(frozen=True)
class Records:
    """What one torch offers by dotted names, and what was seen of each operator, by its name in the
    table: each call as `torch.save` writes it."""

    names: frozenset[str]
    calls: dict[str, list[bytes]]


def record(names: Iterable[str]) -> Records:
    """What is seen of operators on the torch that runs; what cannot be written down is left out."""
    made = set(layer_samples.names())
    found = {name: _of_layer(name) if name in made else _of_function(name) for name in names}
    calls = {name: list(filter(None, map(saved, recorded))) for name, recorded in found.items()}
    return Records(public_names(), calls)


def restored(text: bytes) -> Recorded:
    """What was seen of a call, from what `saved` has made of it."""
    recorded = torch.load(BytesIO(text), weights_only=False)
    assert isinstance(recorded, Recorded)
    return recorded


def _of_function(name: str) -> Iterator[Recorded]:
    function = resolve(name)
    if function is None:
        return
    for call, case in functions.probed(name, signature_of(name, function)):
        yield Recorded((call.arguments, dict(call.keywords)), False, case)


def _of_layer(name: str) -> Iterator[Recorded]:
    layer = layer_samples.layer(name)
    samples = layer_samples.samples(name)
    calls = [call for sample in samples for call in layers.layer_calls(layer, sample)]
    for call, case in layers.probed(calls):
        yield Recorded(call.sample, call.module.training, case)


def saved(recorded: Recorded) -> bytes:
    """What was seen of a call as `torch.save` writes it; empty where it cannot."""
    stream = BytesIO()
    try:
        torch.save(recorded, stream)
    except (pickle.PicklingError, AttributeError, TypeError, RuntimeError):
        return b""  # functions made in the midst of others, and tensors of strange layouts
    return stream.getvalue()

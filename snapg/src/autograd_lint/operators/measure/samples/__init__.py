"""Our own small samples, for plain calls and for what torch's test suite leaves out.

The first sample of an operator is its plain call: what is usual, and the last form of the table.
"""

from collections.abc import Iterator

import torch

from autograd_lint.operators.measure.opinfo import Sample
from autograd_lint.operators.measure.samples import (
    arithmetic,
    conversions,
    functional,
    in_place,
    indexing,
    reductions,
    shapes,
    sparse,
)

# Operators written in Python that return a list or tuple of any length.
LISTED = frozenset({"__iter__", "__reversed__", "split", "tensor_split", "meshgrid"}) | frozenset(
    {"broadcast_tensors", "unsafe_split"}
)

_SAMPLES = {
    **arithmetic.SAMPLES,
    **reductions.SAMPLES,
    **shapes.SAMPLES,
    **indexing.SAMPLES,
    **conversions.SAMPLES,
    **in_place.SAMPLES,
    **functional.SAMPLES,
    **sparse.SAMPLES,
}


def names() -> list[str]:
    """The operators there are samples of."""
    return list(_SAMPLES)


def own(name: str) -> Iterator[Sample]:
    """Positional and keyword arguments for calls of an operator, the plain call first."""
    torch.manual_seed(0)
    make = _SAMPLES.get(name)
    for given in make() if make else ():
        named = given[-1] if isinstance(given[-1], dict) else {}
        yield (given[:-1] if named else given), named

"""Pools that average over all of their input: torch computes a mean then, which keeps nothing.

Source: `adaptive_avg_pool2d_symint` in aten/src/ATen/native/AdaptiveAveragePooling.cpp, and its
like in AdaptiveAveragePooling3d.cpp; the pool over one dimension is computed by that over two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from autograd_lint.operators.facts import Form
from autograd_lint.vm.contents import elements
from autograd_lint.vm.values import Items, Unknown, Value

SIZE = "output_size"  # the option of a layer, and the second argument of a function
_AVERAGING = ("adaptive_avg_pool", "AdaptiveAvgPool")


@lru_cache(1_000)
def averages(name: str) -> bool:
    """Whether an operator of that name averages to a size that is asked for."""
    return any(one in name for one in _AVERAGING)


def with_mean(form: Form, bound: Mapping[str, Value]) -> Form:
    """The form of such an operator for the size that it is given, which is one element often."""
    size = bound.get("1", bound.get(SIZE))
    if _is_one(size):
        return replace(form, saves=())
    unknown = any(isinstance(one, Unknown) for one in elements(size))
    saves = tuple(replace(save, sure=False) for save in form.saves)
    return replace(form, saves=saves) if unknown else form


def _is_one(size: Value) -> bool:
    if isinstance(size, Items):
        return size.closed and bool(size.items) and all(map(_is_one, size.items))
    return size == 1 and isinstance(size, int)

"""The kinds of a concrete argument, in the words of `facts.Test`."""

import re
from collections.abc import Sequence
from typing import Any

import torch

_WORD = re.compile(r"[a-z][a-z_0-9]*")
_DEVICE = re.compile(r"(cpu|cuda|meta)(:\d+)?")
_FIXED = {id(None): {"none"}, id(True): {"true"}, id(False): {"false"}}


def dtype_kind(dtype: torch.dtype) -> str:
    """`float`, `int`, `bool` or `complex`."""
    if dtype.is_complex:
        return "complex"
    if dtype.is_floating_point:
        return "float"
    return "bool" if dtype is torch.bool else "int"


def kinds_of(value: Any) -> frozenset[str]:
    """All the kinds that a value has."""
    return frozenset(_kinds(value))


def index_kinds(index: Any) -> frozenset[str]:
    """The kinds of all parts of an index."""
    if index is Ellipsis or (isinstance(index, slice) and index == slice(None)):
        return frozenset({"index-slice", "index-all"})
    parts = index if isinstance(index, tuple) or _stands_for_a_tuple(index) else (index,)
    return frozenset(map(_index_kind, parts))


def _kinds(value: Any) -> set[str]:
    if id(value) in _FIXED:
        return _FIXED[id(value)]
    if isinstance(value, torch.Tensor):
        return {"tensor", f"{dtype_kind(value.dtype)}-tensor"}
    if isinstance(value, torch.dtype):
        return {f"{dtype_kind(value)}-dtype"}
    if isinstance(value, str) and not _DEVICE.fullmatch(value):
        return {"string", f"={value}"} if _WORD.fullmatch(value) else {"string"}
    if isinstance(value, int | float | complex):
        return _number_kinds(value)
    if isinstance(value, Sequence) and value:
        return _sequence_kinds(value)
    return {"other"}


def _number_kinds(value: complex) -> set[str]:
    kinds = {"number", "zero"} if value == 0 else {"number"}
    return kinds | {"int" if isinstance(value, int) else "float"}


def _sequence_kinds(value: Sequence[Any]) -> set[str]:
    if all(isinstance(part, torch.Tensor) for part in value):
        return {"tensors"}
    if all(isinstance(part, int) for part in value):
        return {"int-list"}
    return {"other"}


def _stands_for_a_tuple(index: Any) -> bool:
    """Whether torch (before 2.9) takes a list for a tuple of indices: it holds slices or `None`."""
    if not isinstance(index, list):
        return False
    return any(one is None or one is Ellipsis or isinstance(one, slice) for one in index)


def _index_kind(part: Any) -> str:
    if part is None or part is Ellipsis or isinstance(part, slice):
        return "index-slice"
    if isinstance(part, int) and not isinstance(part, bool):
        return "index-int"
    if isinstance(part, bool):
        return "index-mask"
    boolean = torch.as_tensor(part).dtype in (torch.bool, torch.uint8)
    return "index-mask" if boolean else "index-tensor"

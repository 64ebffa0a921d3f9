"""The variables that a function reads when it runs, and whether they mean something else by now."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, FunctionType
from typing import Any

import torch

from autograd_lint.live.reading import is_a

_SHARED: tuple[type, ...] = (torch.nn.Module, torch.Tensor)
_SIMPLE: tuple[type, ...] = (bool, int, float, str)
_LOADING = ("LOAD_GLOBAL", "LOAD_NAME")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of an enclosing function, in its cell, or one of a file, by its name; and what it
    meant when it was looked at."""

    name: str
    where: CellType | dict[str, Any]
    value: object

    @property
    def has_changed(self) -> bool:
        """Whether it means another object by now, other than an equal number or text."""
        now = self._now
        is_simple = type(now) is type(self.value) and type(now) in _SIMPLE
        return now is not self.value and not (is_simple and now == self.value)

    def is_same(self, other: Variable) -> bool:
        """Whether another one is the same variable."""
        return self.name == other.name and self.where is other.where

    @property
    def _now(self) -> object:
        if isinstance(self.where, dict):
            return self.where.get(self.name)
        return content(self.where)


def variables_of(function: Any) -> Iterator[Variable]:
    """Those of enclosing functions that hold modules, tensors, numbers or texts, and those of its
    file that hold modules or tensors: a number there may only be counted on."""
    if not is_a(function, FunctionType):
        return
    code, names = function.__code__, function.__globals__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        value = content(cell)
        if any(is_a(value, kind) for kind in (*_SHARED, *_SIMPLE)):
            yield Variable(name, cell, value)
    loaded = (one.argval for one in dis.get_instructions(code) if one.opname in _LOADING)
    for name in dict.fromkeys(loaded):
        value = names.get(name)
        if any(is_a(value, kind) for kind in _SHARED):
            yield Variable(name, names, value)


def content(cell: CellType) -> object:
    """What a variable of an enclosing function holds; None where it is not bound."""
    try:
        return cell.cell_contents
    except ValueError:
        return None

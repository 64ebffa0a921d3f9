"""What is kept of one value: its class, and what autograd goes by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TypeAlias

from autograd_lint.immutable import immutable

Shape: TypeAlias = "tuple[int | None, ...] | None"
"""Sizes; None in the place of one that differed from call to call, or of all where their number
did."""


@immutable
class Tensor:
    """A tensor: `dtype` as torch names it (`float32`), whether it required grad, was a leaf, and
    was a parameter.

    `made_by` is the operator that made it, as the operator table names it (`sigmoid`), `view_of`
    the argument of the same call whose memory it shares. Descriptions are equal whatever their
    shapes.
    """

    dtype: str
    requires_grad: bool = False
    leaf: bool = False
    parameter: bool = False
    made_by: str = ""
    view_of: str = ""
    shape: Shape = field(default=None, compare=False)


@immutable
class Plain:
    """A value without a graph: `none`, `true`, `false`, `int`, `number`, `text`, `array`, or
    `other`."""

    kind: str


@immutable
class Sequenced:
    """A `list`, `tuple` or `set`; `more` says that there were further elements."""

    kind: str
    items: tuple[Value, ...]
    more: bool = False


@immutable
class Named:
    """A dictionary, or the attributes of an object, by names; `more` as above."""

    entries: tuple[tuple[str, Value], ...]
    more: bool = False

    def get(self, name: str) -> Value | None:
        """What stands under a name."""
        return next((value for known, value in self.entries if known == name), None)


@immutable
class Object:
    """An object of some class, `package.module.Class`; `module` says that it is a `nn.Module`."""

    cls: str
    module: bool = False


Value: TypeAlias = "Tensor | Plain | Sequenced | Named | Object"


def joined(one: Value, other: Value) -> Value:
    """One description for two equal ones: sizes that differ are not known any more."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return replace(one, shape=_common(one.shape, other.shape))
    if isinstance(one, Sequenced) and isinstance(other, Sequenced):
        return replace(one, items=all_joined(one.items, other.items))
    if isinstance(one, Named) and isinstance(other, Named):
        pairs = zip(one.entries, other.entries, strict=True)
        entries = tuple((name, joined(value, more)) for (name, value), (_, more) in pairs)
        return replace(one, entries=entries)
    return one


def all_joined(some: Sequence[Value], others: Sequence[Value]) -> tuple[Value, ...]:
    """`joined` for each pair of equal descriptions."""
    return tuple(joined(one, other) for one, other in zip(some, others, strict=True))


def _common(one: Shape, other: Shape) -> Shape:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(size if size == more else None for size, more in zip(one, other, strict=True))

"""Immutable dataclasses that take little time to define.

`dataclass(frozen=True, slots=True)` compiles six methods of each class whenever the program
starts. Over the classes of this package that was a quarter of the check of a small file. Here
`__init__` alone is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        """What tells type checkers that a decorator makes dataclasses."""
        return lambda decorator: decorator


T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(cls: type[T]) -> type[T]:
    """A dataclass with slots; its objects are equal where what they hold is.

    That nothing is put into them later is for the type checker to see.
    """
    made = dataclass(slots=True, eq=False, repr=False)(cls)
    held = _held([one.name for one in fields(made) if one.compare])  # type: ignore[arg-type]

    def __eq__(self: object, other: object) -> bool:
        return held(self) == held(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: object) -> int:
        return hash(held(self))

    for method in (__eq__, __hash__, __repr__):
        if method.__name__ not in vars(cls):
            setattr(made, method.__name__, method)
    return made


def __repr__(self: object) -> str:
    held = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)  # type: ignore[arg-type]
    return f"{type(self).__name__}({', '.join(held)})"


def _held(names: list[str]) -> Callable[[object], object]:
    """What reads these attributes of an object."""
    return attrgetter(*names) if names else lambda _: ()

"""What became of storages: which operator wrote to which, when, and at which place.

A write is a row of numbers. What many writes have in common (their place, their operator) is kept
once, and what only few need (what the memory held before) beside the rows.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import torch

from autograd_lint.live.contents import Digest
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_MOST_TO_ONE = 256  # storage
_MOST_STEPS = 4  # writes by an optimizer to one parameter
_FEWEST = 32  # rows that are kept in any case
_COLUMNS = 5
_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Geometry:
    """Which elements of a storage a tensor looks at, and its shape and dtype."""

    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: Any = None

    @property
    def whole(self) -> tuple[int, int]:
        """The first element and the one after the last."""
        if 0 in self.shape:
            return self.offset, self.offset
        reach = sum((n - 1) * s for n, s in zip(self.shape, self.stride, strict=True))
        return self.offset, self.offset + reach + 1


def geometry_of(tensor: torch.Tensor) -> Geometry | None:
    """Which elements of its storage a tensor looks at; None for layouts without strides."""
    try:
        return Geometry(
            int(tensor.storage_offset()), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype
        )
    except RuntimeError:
        return None


def are_same_elements(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are the same elements of one storage."""
    storage = storage_id(one)
    is_same = storage is not None and storage == storage_id(other)
    return is_same and geometry_of(one) == geometry_of(other)


class Held(NamedTuple):
    """What memory held: digests of it `before` a write, and `after` where no tensor shows it.

    `geometry` is the part of the storage that the digests are of, None for the whole.
    """

    geometry: Geometry | None
    before: Digest | None
    after: Digest | None = None


class Note(NamedTuple):
    """What an operator is about to write to, as it was before."""

    tensor: torch.Tensor
    storage: int
    version: int | None
    held: Held | None


class Manner(NamedTuple):
    """What writes of one place to tensors of one shape have in common.

    `has_node` says that the operator has made a node of its own, `bumped` that the version counter
    of the tensor has counted the write. `thread` is the one that has written, 0 where there was
    only one.
    """

    operator: str
    site: Site | None
    has_node: bool = False
    bumped: bool = True
    shape: tuple[int, ...] | None = None
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Write:
    """One write. `own` is the sequence number of the writing operator's own node, if it made one.

    `version` is the counter of the tensor that was written, before the write, `shape` its
    shape, `held` what it held, where that was looked at; `number` tells writes apart, `thread` is
    the one that has written, 0 where there was only one.
    """

    sequence: int
    own: int | None
    operator: str
    site: Site | None
    version: int | None
    bumped: bool
    shape: tuple[int, ...] | None = None
    held: Held | None = field(default=None, compare=False)
    number: int = 0
    thread: int = 0


class Writes:
    """The writes to all storages, the oldest first."""

    __slots__ = ("_held", "_manners", "_most", "_numbers", "_rows", "latest", "latest_held")

    def __init__(self) -> None:
        self.latest = self.latest_held = _UNKNOWN
        self._most = _FEWEST
        self._rows = array("q")
        self._manners: dict[Manner, int] = {}
        self._held: dict[int, Held] = {}
        self._numbers = count(1)  # of manners and of what was held

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._rows) // _COLUMNS

    def add(
        self,
        storage: int,
        sequence: int,
        version: int | None,
        manner: Manner,
        held: Held | None = None,
    ) -> None:
        """Remember one."""
        kind, before = self._manners.get(manner), 0
        if kind is None:
            kind = self._manners.setdefault(manner, next(self._numbers))
        if held is not None:
            before = next(self._numbers)
            self._held[before] = held
            self.latest_held = max(self.latest_held, sequence)
        self.latest = max(self.latest, sequence)
        counted = _UNKNOWN if version is None else version
        self._rows.extend((storage, sequence, counted, kind, before))  # at once: threads share it

    def to(self, storage: int) -> list[Write]:
        """The known writes to a storage."""
        storages, manners = self._rows[::_COLUMNS], self._by_number()
        return [self._write(row, manners) for row in _rows_of(storage, storages)]

    def by_storage(self) -> Iterator[list[Write]]:
        """The writes to each storage."""
        return (self.to(storage) for storage in dict.fromkeys(self._rows[::_COLUMNS]))

    def storages(self) -> set[int]:
        """The storages that were written to."""
        return set(self._rows[::_COLUMNS])

    def looked_at(self) -> set[int]:
        """The storages of which is known what they held before a write."""
        columns = self._rows[::_COLUMNS], self._rows[_COLUMNS - 1 :: _COLUMNS]
        return {storage for storage, before in zip(*columns, strict=True) if before}

    @property
    def are_many(self) -> bool:
        """Whether it is time to forget some."""
        return len(self) > self._most

    def forget(self, since: int) -> None:
        """Forget what was written before `since`, and of one storage all but the latest writes."""
        manners, seen, kept = self._by_number(), Counter[int](), list[int]()
        for row in reversed(range(len(self))):
            storage, sequence, _, kind, _ = self._columns(row)
            seen[storage] += 1
            if sequence >= since and seen[storage] <= _most_by(manners[kind].site):
                kept.append(row)
        rows = array("q")
        for row in reversed(kept):
            rows.extend(self._columns(row))
        used = set(rows[3::_COLUMNS]), set(rows[4::_COLUMNS])
        self._rows = rows
        self._manners = {one: kind for one, kind in self._manners.items() if kind in used[0]}
        self._held = {number: one for number, one in self._held.items() if number in used[1]}
        self._most = max(_FEWEST, 2 * len(kept))

    def _columns(self, row: int) -> array[int]:
        return self._rows[row * _COLUMNS : (row + 1) * _COLUMNS]

    def _by_number(self) -> dict[int, Manner]:
        return {number: manner for manner, number in self._manners.items()}

    def _write(self, row: int, manners: dict[int, Manner]) -> Write:
        _, sequence, version, kind, held = self._columns(row)
        manner = manners[kind]
        return Write(
            sequence,
            sequence - 1 if manner.has_node else None,
            manner.operator,
            manner.site,
            None if version == _UNKNOWN else version,
            manner.bumped,
            manner.shape,
            self._held.get(held),
            row,
            manner.thread,
        )


def _rows_of(storage: int, storages: array[int]) -> Iterator[int]:
    row = -1
    for _ in range(storages.count(storage)):
        row = storages.index(storage, row + 1)
        yield row


def _most_by(site: Site | None) -> int:
    return _MOST_STEPS if site is not None and site.optimizer else _MOST_TO_ONE

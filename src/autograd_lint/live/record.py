"""What the tracer remembers: which operator made which node, and every write to a storage.

Nothing here keeps a tensor or a graph node alive. Time is counted in sequence numbers of autograd:
a write happened after a node was made when its `sequence` is greater than the node's.
"""

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_lint.live.sites import Site

UNKNOWN = -1
"""A sequence number that is not known."""

_MOST_BIRTHS = 1_000_000
_MOST_STORAGES = 50_000
_MOST_WRITES = 64
_MOST_ORIGINS = 100_000
_MOST_CALLED_NODES = 4_000_000


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


@dataclass(slots=True)
class Write:
    """One write. `own` is the sequence number of the writing operator's own node, if it made one.

    `version` is the counter of the tensor that was written, before the write, `shape` its
    shape; `before` is a digest of its contents and `after` of what no tensor was at hand for, None
    where they were not taken.
    """

    sequence: int
    own: int | None
    operator: str
    site: Site | None
    version: int | None
    bumped: bool
    shape: tuple[int, ...] | None = None
    geometry: Geometry | None = None
    before: torch.Tensor | None = None
    after: torch.Tensor | None = None


@dataclass(frozen=True, slots=True)
class Birth:
    """The operator that ran when a node was made, and the one that ran before it."""

    operator: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tensor without a graph comes from.

    `sequence` is when its storage was made, `cut` the operator whose argument still required grad;
    `grad_enabled` is the mode it ran in.
    """

    operator: str
    site: Site | None
    sequence: int
    cut: "Origin | None" = None
    grad_enabled: bool = True
    requires: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call of `backward` or `grad`: the nodes it walked to (sorted), and when it began.

    `runs_program` says that the program's own code runs inside (a custom Function).
    """

    name: str
    site: Site | None
    nodes: "array[int]"
    sequence: int = 0
    runs_program: bool = False


@dataclass
class Record:
    """Everything that was seen. One record serves all threads of a program."""

    births: dict[int, tuple[Birth, Birth | None]] = field(default_factory=dict)
    writes: dict[int, deque[Write]] = field(default_factory=dict)
    origins: dict[int, Origin] = field(default_factory=dict)
    numbers: deque[Origin] = field(default_factory=lambda: deque(maxlen=64))
    calls: deque[Call] = field(default_factory=deque)
    backwards: deque[Call] = field(default_factory=lambda: deque(maxlen=256))
    latest_hidden: int = -1
    hooks_used: bool = False
    unseen: dict[str, int] = field(default_factory=dict)
    _called: int = 0

    def add_birth(self, sequence: int, birth: Birth, previous: Birth | None) -> None:
        """The node `sequence` was made while `birth` ran, or at the end of `previous`."""
        self.births[sequence] = (birth, previous)
        if len(self.births) > _MOST_BIRTHS:
            _drop_half(self.births)

    def add_write(self, storage: int, write: Write) -> None:
        """Remember a write; of each storage the latest are kept."""
        known = self.writes.get(storage)
        if known is None:
            if len(self.writes) > _MOST_STORAGES:
                _drop_half(self.writes)
            known = self.writes[storage] = deque(maxlen=_MOST_WRITES)
        known.append(write)
        if write.before is not None:
            self.latest_hidden = max(self.latest_hidden, write.sequence)

    def add_origin(self, storage: int, origin: Origin) -> None:
        """A tensor without a graph was made in `storage`."""
        self.origins[storage] = origin
        if len(self.origins) > _MOST_ORIGINS:
            _drop_half(self.origins)

    def add_call(self, call: Call) -> None:
        """Remember a call that frees; the oldest are forgotten when there are too many."""
        self.calls.append(call)
        self._called += len(call.nodes)
        while self._called > _MOST_CALLED_NODES and len(self.calls) > 1:
            self._called -= len(self.calls.popleft().nodes)

    def miss(self, what: str) -> None:
        """Count something that could not be observed."""
        self.unseen[what] = self.unseen.get(what, 0) + 1


def _drop_half(table: dict[int, Any]) -> None:
    for key in list(table)[: len(table) // 2]:
        del table[key]

"""What the tracer remembers: which operator made which node, and what became of storages.

Nothing here keeps a tensor, the memory of a storage or a graph node alive. Time is counted in
sequence numbers of autograd: a write happened after a node was made when its `sequence` is greater
than the node's.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any, Protocol

import torch

from autograd_lint.engine.faults import Fault
from autograd_lint.live.births import Births
from autograd_lint.live.calls import Call, Calls
from autograd_lint.live.contents import Digest
from autograd_lint.live.sites import Site
from autograd_lint.places import Place

UNKNOWN = -1
"""A sequence number that is not known."""

_MOST_WRITES = 256
_MOST_STEPS = 4  # writes by an optimizer to one parameter
_FEWEST_MADE, _FEWEST_WRITTEN = 256, 32  # storages that are remembered in any case
_REMEMBERED = 8  # calls of backward; what was written before them is forgotten


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
    before: Digest | None = None
    after: Digest | None = None


@dataclass(frozen=True, slots=True)
class Birth:
    """The operator that ran when a node was made, and its place."""

    operator: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tensor without a graph comes from.

    `cut` is the operator whose argument still required grad, `grad_enabled` the mode it ran in,
    `entered` where its inference mode was entered.
    """

    operator: str
    site: Site | None
    cut: "Origin | None" = None
    grad_enabled: bool = True
    requires: bool = False
    entered: Place | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A Python number that was read from a tensor whose graph `origin` leaves."""

    value: Any
    origin: Origin


@dataclass(frozen=True, slots=True)
class _Memory:
    """What is known of the memory at one address: `made` is when, `maker` what made it.

    `origin` is that of the latest tensor without a graph there. What was known of memory that is
    gone does no harm to the next one there, for whatever makes memory says so.
    """

    origin: Origin
    maker: Origin | None
    made: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an optimizer that is not observed: its parameters and their versions before."""

    site: Site | None
    parameters: list[tuple[torch.Tensor, int | None]]


class Watcher(Protocol):
    """Is told more than is remembered, where somebody asks for it."""

    def cut(self, site: Site, tensor: torch.Tensor) -> None:
        """An operator leaves the graph of a tensor."""

    def added(self, site: Site) -> None:
        """What left its graph at a site is added to a scalar that has one."""


@dataclass
class Record:
    """Everything that was seen. One record serves all threads of a program."""

    numbers: deque[Number] = field(default_factory=lambda: deque(maxlen=64))
    calls: Calls = field(default_factory=Calls)
    latest_write: int = -1
    latest_hidden: int = -1
    hooks_used: bool = False
    several_counters: set[int] = field(default_factory=set)
    pack_hooks: tuple[Any, ...] = ()
    entered: Place | None = None
    found: list[Fault] = field(default_factory=list)
    watcher: Watcher | None = None
    unseen: dict[str, int] = field(default_factory=dict)
    _kinds: dict[tuple[str, Site | None], int] = field(default_factory=dict)
    _births: dict[int, Births] = field(default_factory=dict)
    _origins: dict[Origin, Origin] = field(default_factory=dict)
    _writes: dict[int, list[Write]] = field(default_factory=dict)
    _memory: dict[int, _Memory] = field(default_factory=dict)
    _gradients: dict[int, _Memory] = field(default_factory=dict)
    _older_gradients: dict[int, _Memory] = field(default_factory=dict)
    _most_made: int = _FEWEST_MADE
    _most_written: int = _FEWEST_WRITTEN
    _horizon: int = 0

    def births_here(self) -> Births:
        """What makes the nodes of the running thread from now on."""
        births = self._births[get_ident()] = Births()
        return births

    def kind(self, operator: str, site: Site | None) -> int:
        """The number that stands in `Births` for an operator at a place."""
        return self._kinds.setdefault((operator, site), len(self._kinds) + 1)

    def births_of(self, node: int) -> tuple[Birth | None, Birth | None]:
        """What ran when a node was made, and what made the nodes before that.

        Every thread counts for itself: the running one's count goes before that of others.
        """
        latest_first = reversed(self._births.values())
        births = [self._births.get(get_ident(), Births()), *latest_first]
        made = next((one for one in births if one.of(node)), None)
        if made is None:
            return None, None
        number = made.of(node)
        before = (made.of(n) for n in range(node - 1, max(-1, node - 64), -1))
        return self._birth(number), self._birth(next((n for n in before if n != number), 0))

    def _birth(self, number: int) -> Birth | None:
        kinds = (kind for kind, known in self._kinds.items() if known == number)
        return next((Birth(*kind) for kind in kinds), None)

    def add_write(self, storage: int, write: Write) -> None:
        """Remember a write; of each storage the latest are kept."""
        writes = self._writes.get(storage)
        if writes is None:
            self._forget_writes()
            writes = self._writes[storage] = []
        writes.append(write)
        self.latest_write = max(self.latest_write, write.sequence)
        most = _MOST_STEPS if write.site and write.site.optimizer else _MOST_WRITES
        if len(writes) > 2 * most:
            del writes[:-most]
        since = self._horizon
        if writes[0].sequence < since:
            writes[:] = [one for one in writes if one.sequence >= since]
        if write.before is not None:
            self.latest_hidden = max(self.latest_hidden, write.sequence)

    def writes(self, storage: int) -> Sequence[Write]:
        """The known writes to a storage, the oldest first."""
        return self._writes.get(storage, ())

    def all_writes(self) -> Iterator[Sequence[Write]]:
        """The writes to each storage."""
        return iter(self._writes.values())

    def add_origin(self, storage: int, origin: Origin, made: int) -> None:
        """A tensor without a graph was made, its memory with it; of a view `made` is UNKNOWN."""
        known = self._known(storage)
        self._older_gradients.pop(storage, None)
        self._gradients.pop(storage, None)
        if known is None:
            self._forget_memory()
        if made != UNKNOWN:
            self.several_counters.discard(storage)
            self._memory[storage] = _Memory(origin, origin, made)
        else:
            self._memory[storage] = _Memory(origin, known.maker if known else None, UNKNOWN)

    def add_gradients(self, storages: Iterable[int], origin: Origin, made: int) -> None:
        """A call has made gradients; those of the latest two calls are known."""
        one = _Memory(origin, origin, made)
        self._older_gradients, self._gradients = self._gradients, dict.fromkeys(storages, one)
        for storage in self._gradients:
            self._memory.pop(storage, None)
            self.several_counters.discard(storage)

    def made(self, storage: int) -> int:
        """When the memory of the latest tensor without a graph was made, if not before that."""
        known = self._known(storage)
        return known.made if known else UNKNOWN

    def same(self, origin: Origin) -> Origin:
        """An equal origin that was given before, so that each is kept once."""
        return self._origins.setdefault(origin, origin)

    def origin(self, storage: int) -> Origin | None:
        """Where the latest tensor without a graph that lies in a storage comes from."""
        known = self._known(storage)
        return known.origin if known else None

    def maker(self, storage: int) -> Origin | None:
        """What made the memory itself, where that was without a graph."""
        known = self._known(storage)
        return known.maker or known.origin if known else None

    def number_like(self, value: Any) -> Origin | None:
        """Where a number of this value was read from a tensor with a graph, most recently."""
        same = (one.origin for one in reversed(self.numbers) if _equal(one.value, value))
        return next(same, None)

    def _known(self, storage: int) -> _Memory | None:
        known = self._memory.get(storage) or self._gradients.get(storage)
        return known or self._older_gradients.get(storage)

    def _forget_writes(self) -> None:
        """Forget the memory that the latest calls of backward saw no write to, once it is much."""
        if len(self._writes) >= self._most_written:
            since = self._horizon
            self._writes = {at: one for at, one in self._writes.items() if _since(since, one)}
            self._most_written = max(_FEWEST_WRITTEN, 2 * len(self._writes))

    def _forget_memory(self) -> None:
        """Forget what was made before the latest calls of backward, once it is much."""
        if len(self._memory) >= self._most_made:
            since, written = self._horizon, self._writes
            known = self._memory.items()
            self._memory = {at: one for at, one in known if one.made >= since or at in written}
            self._most_made = max(_FEWEST_MADE, 2 * len(self._memory))

    def add_backward(self, call: Call, began: int) -> None:
        """A call has ended."""
        self.calls.add(call, began)
        self._horizon = self.calls.began(_REMEMBERED)
        for births in self._births.values():
            births.close()

    def miss(self, what: str) -> None:
        """Count something that could not be observed."""
        self.unseen[what] = self.unseen.get(what, 0) + 1


def _since(sequence: int, writes: Sequence[Write]) -> bool:
    return writes[-1].sequence >= sequence


def _equal(one: Any, other: Any) -> bool:
    """Whether two numbers are the same, but for the rounding of a narrower dtype."""
    if type(one) is not type(other) or isinstance(one, bool):
        return False
    return bool(one == other or abs(one - other) <= 1e-6 * abs(one))

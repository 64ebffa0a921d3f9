"""Where tensors without a graph come from, by the memory that they lie in."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable
from threading import Lock
from types import CodeType
from typing import NamedTuple

from autograd_lint.live.sites import Site
from autograd_lint.places import Place

UNKNOWN = -1
"""A sequence number that is not known."""

_FEWEST = 32  # storages that are remembered in any case
_ORIGINS = 24  # bits of the number of an origin
_MASK = (1 << _ORIGINS) - 1


class Origin(NamedTuple):
    """Where a tensor without a graph comes from.

    `cut` is the operator whose argument still required grad, `grad_enabled` the mode it ran in,
    `entered` where its inference mode was entered, `off` what had switched grad mode off: a call,
    or a function below a decorator. `both`: it was computed of two tensors that were detached.
    """

    operator: str
    site: Site | None
    cut: Origin | None = None
    grad_enabled: bool = True
    requires: bool = False
    entered: Place | None = None
    off: Site | CodeType | None = None
    both: bool = False


class _Gradients:
    """The memory of the gradients that one call has made, and what is known of all of it."""

    __slots__ = ("_storages", "known")

    def __init__(self, storages: Iterable[int] = (), known: int = 0) -> None:
        self._storages = array("Q", sorted(storages))
        self.known = known

    def __contains__(self, storage: int) -> bool:
        at = bisect_left(self._storages, storage)
        return at < len(self._storages) and self._storages[at] == storage


class Memory:
    """What is known of the memory at each address.

    That is one number: when it was made (0 where that is not known), what made it, and where the
    latest tensor without a graph there comes from. What was known of memory that is gone does no
    harm to the next one there, for whatever makes memory says so.
    """

    __slots__ = ("_gradients", "_known", "_lock", "_most", "_numbers", "_older", "_origins")

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._gradients = self._older = _Gradients()
        self._origins: list[Origin | None] = [None]
        self._numbers: dict[Origin, int] = {}
        self._lock = Lock()
        self._most = _FEWEST

    def add(self, storage: int, origin: Origin, made: int) -> None:
        """A tensor without a graph was made, its memory with it; of a view `made` is UNKNOWN."""
        number = self._number(origin)
        maker = number if made != UNKNOWN else self._of(storage) >> _ORIGINS & _MASK
        self._known[storage] = self._pack(made, maker, number)

    def add_gradients(self, storages: Collection[int], origin: Origin, made: int) -> None:
        """A call has made gradients; those of the latest two calls are known."""
        number = self._number(origin)
        self._older = self._gradients
        self._gradients = _Gradients(storages, self._pack(made, number, number))
        for storage in storages:
            self._known.pop(storage, None)

    def made(self, storage: int) -> int:
        """When the memory of the latest tensor without a graph was made, if not before that."""
        return (self._of(storage) >> 2 * _ORIGINS) - 1

    def origin(self, storage: int) -> Origin | None:
        """Where the latest tensor without a graph that lies in a storage comes from."""
        return self._origins[self._of(storage) & _MASK]

    def maker(self, storage: int) -> Origin | None:
        """What made the memory itself, where that was without a graph."""
        return self._origins[self._of(storage) >> _ORIGINS & _MASK] or self.origin(storage)

    @property
    def is_much(self) -> bool:
        """Whether it is time to forget some."""
        return len(self._known) >= self._most

    def forget(self, since: int, written: Collection[int]) -> None:
        """Forget what was made before `since`, unless it was `written` to."""
        least = (since + 1) << 2 * _ORIGINS
        known = self._known.items()
        self._known = {at: one for at, one in known if one >= least or at in written}
        self._most = max(_FEWEST, 2 * len(self._known))

    def _of(self, storage: int) -> int:
        known = self._known.get(storage)
        if known is not None:
            return known
        for gradients in (self._gradients, self._older):
            if storage in gradients:
                return gradients.known
        return 0

    def _pack(self, made: int, maker: int, origin: int) -> int:
        return (made + 1) << 2 * _ORIGINS | maker << _ORIGINS | origin

    def _number(self, origin: Origin) -> int:
        number = self._numbers.get(origin)
        if number is None:
            with self._lock:
                number = self._numbers.setdefault(origin, len(self._origins))
                if number == len(self._origins):
                    self._origins.append(origin)
        return number

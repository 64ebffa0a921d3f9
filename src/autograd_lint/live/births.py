"""Which operator made which graph node, by the sequence numbers of one thread.

Most loops make the same nodes in every round: stretches between two calls of backward that are
alike and follow one another cost no more than one.
"""

from array import array
from bisect import bisect_right

_MOST_STRETCHES = 4_096
_MOST_NODES = 1_000_000  # in stretches that differ
_GAP = 1_024  # so many nodes that nobody saw lie within a stretch, more between two
_LATELY = 8  # stretches among which one that is alike is looked for


class Births:
    """What made the nodes of one thread: numbers above 0, which the caller gives a meaning."""

    SIZE = array("I").itemsize  # bytes
    __slots__ = ("_assumed", "_first", "_made", "_nodes", "_open", "_starts", "_times")

    def __init__(self) -> None:
        self._open = array("I")  # the nodes from `_first` on, of the stretch that is not over
        self._first = 0
        self._starts = array("Q")
        self._times = array("Q")
        self._made: list[bytes] = []
        self._nodes = 0
        self._assumed = range(0)  # the latest nodes of which it was assumed

    def __len__(self) -> int:
        """How many stretches are kept."""
        return len(self._made)

    def add(self, first: int, end: int, number: int) -> None:
        """The nodes from `first` to `end` (exclusive) were made by `number`."""
        known = self._first + len(self._open)
        if first - known > _GAP or not self._open:
            self.close()
            known = self._first = max(first, known)
        self._open.extend([0] * (first - known))
        self._open.extend([number] * (end - max(first, known)))

    def close(self) -> None:
        """A stretch is over."""
        if not self._open:
            return
        made = self._open.tobytes()
        if self._made and self._made[-1] == made and self._end() == self._first:
            self._times[-1] += 1
        else:
            alike = next((one for one in self._made[-_LATELY:] if one == made), None)
            self._nodes += 0 if alike else len(self._open)
            self._made.append(alike or made)
            self._starts.append(self._first)
            self._times.append(1)
            self._forget_oldest()
        self._first += len(self._open)
        self._open = array("I")

    def between(self, first: int, end: int) -> bytes:
        """What made the nodes from `first` to `end` (exclusive), all of the stretch that is not
        over; empty where that holds others."""
        own = first == self._first and end == first + len(self._open)
        return self._open.tobytes() if own else b""

    def assume(self, first: int, made: bytes) -> None:
        """The nodes from `first` on were made by nobody knows what, most likely by this."""
        if self._open or first < self._first:
            return
        end = first + len(made) // self.SIZE
        self._assumed = range(first, end)
        if self._made and self._made[-1] == made and self._end() == first:
            self._times[-1], self._first = self._times[-1] + 1, end
        else:
            self._open, self._first = array("I", made), first

    def is_assumed(self, node: int) -> bool:
        """Whether it was not seen what made a node of the latest such stretch."""
        return node in self._assumed

    def of(self, node: int) -> int:
        """What made a node; 0 where nobody saw it."""
        if node >= self._first:
            ahead = node - self._first
            return self._open[ahead] if ahead < len(self._open) else 0
        at = bisect_right(self._starts, node) - 1
        if at < 0:
            return 0
        made = memoryview(self._made[at]).cast("I")
        into = node - self._starts[at]
        return made[into % len(made)] if into < len(made) * self._times[at] else 0

    def _end(self) -> int:
        return self._starts[-1] + self._times[-1] * len(self._made[-1]) // self.SIZE

    def _forget_oldest(self) -> None:
        if len(self._made) > _MOST_STRETCHES or self._nodes > _MOST_NODES:
            half = (len(self._made) + 1) // 2
            del self._made[:half], self._starts[:half], self._times[:half]
            differing = {id(made): len(made) for made in self._made}
            self._nodes = sum(differing.values()) // self.SIZE

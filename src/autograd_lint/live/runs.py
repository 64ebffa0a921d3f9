"""Sets of whole numbers that mostly follow one another."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator


class Runs:
    """An unchanging set, kept as the beginnings and ends of its runs."""

    __slots__ = ("_bounds",)

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        bounds, ordered = array("Q"), sorted(set(numbers))
        if ordered and ordered[-1] - ordered[0] + 1 == len(ordered):  # one run
            bounds.extend((ordered[0], ordered[-1] + 1))
            ordered.clear()
        for number in ordered:
            if bounds and bounds[-1] >= number:
                bounds[-1] = number + 1
            else:
                bounds.extend((number, number + 1))
        self._bounds = bounds

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and bisect_right(self._bounds, number) % 2 == 1

    def __len__(self) -> int:
        return len(self._bounds) // 2

    @property
    def first(self) -> int | None:
        """The smallest number; None of an empty set."""
        return self._bounds[0] if self._bounds else None

    def moved(self, by: int) -> "Runs":
        """The same numbers, each so much larger."""
        moved = Runs()
        moved._bounds = array("Q", [bound + by for bound in self._bounds])
        return moved

    def bounds(self) -> Iterator[tuple[int, int]]:
        """The first number of each run, and the one after its last."""
        return zip(self._bounds[::2], self._bounds[1::2], strict=True)

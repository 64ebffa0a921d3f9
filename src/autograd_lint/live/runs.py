"""Sets of whole numbers that mostly follow one another."""

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence


class Runs:
    """An unchanging set, kept as the beginnings and ends of its runs."""

    __slots__ = ("_bounds",)

    def __init__(self, numbers: Collection[int] = ()) -> None:
        self._bounds = array("Q", _bounds(numbers) if numbers else ())

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
        ends = iter(self._bounds)
        return zip(ends, ends, strict=True)


def _bounds(numbers: Collection[int]) -> Sequence[int]:
    """The beginning of each run of these numbers, and its end."""
    numbers = set(numbers)
    first, end = min(numbers), max(numbers) + 1
    if end - first == len(numbers):
        return first, end
    bounds: list[int] = []
    for number in sorted(numbers):
        if bounds and bounds[-1] == number:
            bounds[-1] = number + 1
        else:
            bounds += (number, number + 1)
    return bounds


NOTHING = Runs()
"""The empty set."""

"""Whether two views of one storage have an element in common."""

import torch

from autograd_lint.live.writes import Geometry

_MOST_MARKED = 1 << 22


def overlap(one: Geometry | None, other: Geometry | None) -> bool:
    """Exact up to four million elements, by their ranges beyond; True where one is unknown."""
    if one is None or other is None or one.dtype != other.dtype:
        return True
    (start, end), (first, last) = one.whole, other.whole
    if end <= first or last <= start:
        return False
    low, high = min(start, first), max(end, last)
    if high - low > _MOST_MARKED:
        return True
    marks = torch.zeros(high - low, dtype=torch.bool)
    _window(marks, one, low).fill_(True)
    return bool(_window(marks, other, low).any())


def _window(marks: torch.Tensor, geometry: Geometry, low: int) -> torch.Tensor:
    return marks.as_strided(geometry.shape, geometry.stride, geometry.offset - low)

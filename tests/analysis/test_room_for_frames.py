"""Deep calls that take no memory from the system again and again."""

import sys

import pytest

from autograd_lint.analysis.room_for_frames import with_room_for_frames

resource = pytest.importorskip("resource")

DEEPEST = 400  # several chunks of frames
CALLS = 300


def _called_at(depth: int) -> None:
    """Call a function over and over, so many calls deep."""
    if depth:
        _called_at(depth - 1)
        return
    for _ in range(CALLS):
        _leaf(1, 2, 3)


def _leaf(a: int, b: int, c: int) -> int:
    return a + b + c


def _most_faults() -> int:
    """The most pages that the system gave for the calls at one depth."""
    most = 0
    for depth in range(DEEPEST):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        _called_at(depth)
        most = max(most, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return most


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames lie elsewhere")
def test_calls_at_any_depth_take_no_memory_from_the_system() -> None:
    assert _most_faults() >= CALLS  # else there is nothing to be done
    assert with_room_for_frames(_most_faults) < CALLS


def test_what_is_raised_is_handed_on() -> None:
    def failing() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        with_room_for_frames(failing)

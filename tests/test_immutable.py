"""Dataclasses that are cheap to define."""

import pickle
from dataclasses import field, replace

from autograd_lint.immutable import immutable


@immutable
class Point:
    x: int
    y: int = 0
    name: str = field(default="", compare=False)


def test_objects_are_equal_where_all_that_they_hold_is() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(1, 3)
    assert len({Point(1, 2, "a"), Point(1, 2, "b"), Point(2, 1)}) == 2
    assert Point(1) != (1, 0)


def test_objects_are_shown_copied_and_sent_to_other_processes() -> None:
    point = replace(Point(1, 2), name="a")
    assert repr(point) == "Point(x=1, y=2, name='a')"
    assert pickle.loads(pickle.dumps(point)) == point

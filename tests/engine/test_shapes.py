"""Shapes and strides."""

import pytest

from autograd_lint.engine.shapes import (
    Shape,
    Sizes,
    broadcast,
    dense_strides,
    is_contiguous,
    numel,
    overlaps,
    view_strides,
)


@pytest.mark.parametrize(
    ("shapes", "joined"),
    [
        ([(3, 1), (4,)], (3, 4)),
        ([(), (2,)], (2,)),
        ([(None, 3), (1,)], (None, 3)),
        ([(None,), (3,)], (3,)),
        ([(2,), None], None),
    ],
)
def test_broadcasting(shapes: list[Shape], joined: Shape) -> None:
    assert broadcast(shapes) == joined


def test_a_number_of_elements_with_an_unknown_size_is_unknown() -> None:
    assert numel((2, None)) is None


def test_dense_strides() -> None:
    assert dense_strides((2, 3, 4)) == (12, 4, 1)


@pytest.mark.parametrize(
    ("strides", "answer"), [((3, 1), True), ((1, 2), False), ((None, 1), None)]
)
def test_contiguity(strides: Sizes, answer: bool | None) -> None:
    assert is_contiguous((2, 3), strides) is answer


def test_a_dimension_of_size_one_overlaps_nothing() -> None:
    assert not overlaps((1, 3), (0, 1))


def test_a_repeated_dimension_overlaps() -> None:
    assert overlaps((2, 3), (0, 1))


@pytest.mark.parametrize(
    ("shape", "strides", "wanted", "found"),
    [
        ((2, 3), (3, 1), (6,), (1,)),
        ((2, 3), (1, 2), (6,), None),
        ((2, 3), (1, 2), (2, 3, 1), (1, 2, 2)),
        ((4, 3), (3, 1), (2, 2, 3), (6, 3, 1)),
        ((3,), (0,), (3, 1), (0, 0)),
        ((), (), (1, 1), (1, 1)),
    ],
)
def test_the_strides_of_another_shape(
    shape: Sizes, strides: Sizes, wanted: Sizes, found: Sizes | None
) -> None:
    assert view_strides(shape, strides, wanted) == found

"""Descriptions of values."""

from autograd_lint.observed.values import Named, Sequenced, Tensor, joined


def tensor(*shape: int | None) -> Tensor:
    return Tensor("float32", shape=shape)


def test_tensors_of_other_shapes_are_described_alike() -> None:
    assert tensor(2, 3) == tensor(4)


def test_sizes_that_differ_are_not_known() -> None:
    found = joined(tensor(2, 3), tensor(5, 3))
    assert isinstance(found, Tensor)
    assert found.shape == (None, 3)


def test_of_another_number_of_sizes_none_is_known() -> None:
    found = joined(tensor(2, 3), tensor(3))
    assert isinstance(found, Tensor)
    assert found.shape is None


def test_elements_are_joined_one_by_one() -> None:
    one = Named((("x", Sequenced("list", (tensor(2),))),))
    other = Named((("x", Sequenced("list", (tensor(3),))),))
    found = joined(one, other)
    assert isinstance(found, Named)
    (_, items), *_ = found.entries
    assert isinstance(items, Sequenced)
    (element,) = items.items
    assert isinstance(element, Tensor)
    assert element.shape == (None,)

"""What a program has is read without running its code."""

import pytest
import torch

from autograd_lint.live.reading import attribute, attributes, is_a


class Lazy:
    """Says that it is a module, once it has been asked."""

    asked = False

    @property
    def __class__(self) -> type:  # type: ignore[override]
        type(self).asked = True
        return torch.nn.Module


class Computing:
    """Has an attribute that stands there and one that is computed."""

    def __init__(self) -> None:
        self.plain = 1

    @property
    def computed(self) -> int:
        raise AssertionError("this runs the program")


class Answering:
    """Answers to every name."""

    def __getattribute__(self, name: str) -> int:
        raise AssertionError("this runs the program")


def test_an_object_that_pretends_is_not_asked() -> None:
    assert not is_a(Lazy(), torch.nn.Module)
    assert not Lazy.asked


def test_an_attribute_that_stands_there_is_read() -> None:
    assert attribute(Computing(), "plain") == 1


def test_an_attribute_that_is_computed_is_not() -> None:
    with pytest.raises(LookupError):
        attribute(Computing(), "computed")


@pytest.mark.parametrize("name", ["plain", "other"])
def test_an_object_that_answers_to_every_name_is_not_asked(name: str) -> None:
    assert attribute(Answering(), name, None) is None
    assert attributes(Answering()) == {}


def test_parts_of_a_module_and_attributes_of_a_tensor_are_read() -> None:
    net = torch.nn.Linear(1, 1)
    assert attribute(net, "weight") is net.weight
    assert attribute(net.weight, "grad", "none") is None
    assert attribute(torch.ones(2), "shape") == (2,)


def test_what_torch_warns_of_is_not_read() -> None:
    assert attribute(torch.ones(2), "T", None) is None


def test_a_missing_attribute_raises_or_is_the_default() -> None:
    assert attribute(Computing(), "missing", 5) == 5
    with pytest.raises(LookupError):
        attribute(Computing(), "missing")

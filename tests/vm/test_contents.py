"""What values are and hold."""

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.contents import elements, tensor_of, tensors_in
from autograd_lint.vm.values import Items, Mapping, Unknown


def test_the_tensor_of_a_tensor_is_itself() -> None:
    tensor = Tensor()
    assert tensor_of(tensor) is tensor


def test_the_tensor_of_an_unknown_is_what_it_was_found_to_be() -> None:
    tensor = Tensor()
    assert tensor_of(Unknown("x", tensor=tensor)) is tensor


def test_what_is_not_known_to_be_a_tensor_has_none() -> None:
    assert [tensor_of(one) for one in (1, None, Unknown("x"), Items("list", [Tensor()]))] == [
        None
    ] * 4


def test_tensors_are_found_in_containers_of_containers() -> None:
    one, other = Tensor(), Tensor()
    inner = Mapping({"a": other})
    assert list(tensors_in(Items("list", [one, inner]))) == [one, other]


def test_containers_deeper_than_asked_for_are_left_alone() -> None:
    inner = Items("list", [Tensor()])
    assert list(tensors_in(Items("list", [inner]), depth=1)) == []


def test_a_value_that_is_no_container_is_an_element_of_its_own() -> None:
    assert elements(1) == [1]
    assert elements(Items("list", [1, 2]), "tuple") != [1, 2]

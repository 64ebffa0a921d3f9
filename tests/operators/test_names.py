"""What programs call operators, and what the table does."""

import pytest

from autograd_lint.operators.names import called, twins


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nn.functional.relu", "relu"),
        ("Tensor.add_", "add_"),
        ("__iadd__", "add_"),
        ("__ifloordiv__", "floor_divide_"),
        ("__rsub__", "rsub"),
        ("__rtruediv__", "div"),
        ("__invert__", "bitwise_not"),
        ("__getitem__", "getitem"),
    ],
)
def test_an_operator_goes_by_the_name_that_the_user_knows(name: str, expected: str) -> None:
    assert called(name) == expected


def test_a_special_method_may_be_a_named_operator() -> None:
    assert "torch.Tensor.add_" in twins("torch.Tensor.__iadd__")


def test_what_is_no_special_method_has_no_twin() -> None:
    assert list(twins("torch.add")) == []

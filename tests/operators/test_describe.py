"""What a reader is told about an operator."""

from autograd_lint.operators.describe import describe
from autograd_lint.operators.table import load

TABLE = load()


def test_says_what_is_saved() -> None:
    assert describe(TABLE.operator("sigmoid")).startswith("sigmoid: saves its result for backward.")


def test_says_under_which_condition_it_is_saved() -> None:
    text = describe(TABLE.operator("nn.Linear"))
    assert "its input (if `weight` requires grad)" in text


def test_says_what_is_modified_and_that_the_result_is_the_same_tensor() -> None:
    text = describe(TABLE.operator("mul_"))
    assert "Modifies its input in place." in text
    assert "The result is its input itself." in text


def test_says_how_often_backward_may_run() -> None:
    assert "any number of times" in describe(TABLE.operator("add"))
    assert "A second backward through it raises" in describe(TABLE.operator("exp"))


def test_says_what_options_change() -> None:
    lines = describe(TABLE.operator("nn.ReLU")).splitlines()
    assert lines[1].startswith("if `inplace` is True: saves its result")


def test_says_that_no_tensor_comes_back() -> None:
    assert describe(TABLE.operator("item")) == "item: returns no tensor."


def test_can_say_something_of_every_operator() -> None:
    for name in TABLE:
        assert describe(TABLE.operator(name)).startswith(f"{name}: ")

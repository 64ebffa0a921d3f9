"""The variables that a function reads, and whether they mean something else by now."""

from collections.abc import Callable

import torch

from autograd_lint.live.pitfalls.variables import variables_of


def counted() -> tuple[Callable[[], object], Callable[[float], None]]:
    number = 1.0

    def read() -> object:
        return number

    def put(value: float) -> None:
        nonlocal number
        number = value

    return read, put


def test_a_variable_that_is_bound_to_another_value_has_changed() -> None:
    read, put = counted()
    (variable,) = variables_of(read)
    put(1.0)
    assert not variable.has_changed
    put(2.0)
    assert variable.has_changed


def test_functions_of_two_calls_have_two_variables() -> None:
    (one,), (other,) = (tuple(variables_of(counted()[0])) for _ in range(2))
    assert not one.is_same(other)


def test_what_is_no_function_of_python_reads_none() -> None:
    assert list(variables_of(torch.nn.Linear(1, 1))) == []

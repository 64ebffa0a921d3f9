"""Which calls a function can take."""

import ast

import pytest

from autograd_lint.facts.signatures import arguments_of, takes


def is_taken(signature: str, call: str, mark: str = "") -> bool:
    """Whether the method `f` with a signature takes a call of it."""
    definition = ast.parse(f"{mark}\ndef f({signature}): pass").body[0]
    assert isinstance(definition, ast.FunctionDef)
    expression = ast.parse(call, mode="eval").body
    assert isinstance(expression, ast.Call)
    return takes(definition, expression, method=True)


@pytest.mark.parametrize(
    ("signature", "call"),
    [
        ("self, a, b", "x.f(1, b=2)"),
        ("self, a, b", "X.f(x, 1, 2)"),
        ("self, a, b=1", "x.f(1)"),
        ("self, *a", "x.f(1, 2, 3)"),
        ("self, **a", "x.f(a=1, b=2)"),
        ("self, a, b", "x.f(*c)"),
        ("self, a, b", "x.f(**c)"),
        ("self, a, *, b=1", "x.f(1)"),
    ],
)
def test_a_call_that_fits(signature: str, call: str) -> None:
    assert is_taken(signature, call)


@pytest.mark.parametrize(
    ("signature", "call"),
    [
        ("self, a, b", "x.f(1)"),
        ("self, a, b", "x.f(1, c=2)"),
        ("self, a", "x.f(1, 2, 3)"),
        ("self, a, b", "x.f(1, 2, a=3)"),
        ("self, a, *, b", "x.f(1)"),
        ("self, a, /", "x.f(a=1)"),
    ],
)
def test_a_call_that_does_not(signature: str, call: str) -> None:
    assert not is_taken(signature, call)


def test_a_static_method_is_given_no_object() -> None:
    assert not is_taken("a, b", "x.f(1)", "@staticmethod")
    assert is_taken("a, b", "x.f(1, 2)", "@staticmethod")


def test_what_a_decorator_makes_of_a_function_takes_anything() -> None:
    assert is_taken("self, a", "x.f(1, 2, 3)", "@curried")


@pytest.mark.parametrize(
    ("decorator", "call", "given"),
    [
        ("", "x.f(1, b=2)", {"a": "1", "b": "2"}),
        ("", "x.f(1, *rest, b=2, **more)", {"a": "1", "b": "2"}),
        ("@staticmethod", "x.f(1, 2)", {"self": "1", "a": "2"}),
    ],
)
def test_what_a_call_gives_for_each_parameter(
    decorator: str, call: str, given: dict[str, str]
) -> None:
    (function,) = ast.parse(f"{decorator}\ndef f(self, a, b=None): pass").body
    called = ast.parse(call, mode="eval").body
    assert isinstance(function, ast.FunctionDef) and isinstance(called, ast.Call)
    found = arguments_of(called, function, bound=True)
    assert {name: ast.unparse(value) for name, value in found.items()} == given

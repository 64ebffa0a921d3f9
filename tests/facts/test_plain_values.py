"""Which expressions give no tensor, as far as a function and its class tell."""

import ast

import pytest

from autograd_lint.facts.plain_values import Scope, is_plain

FUNCTION = "def f(a, b: int, c: Tensor, d=1, e=None, *rest):\n    {lines}\n"


def plain(expression: str, lines: str = "pass") -> bool:
    function = ast.parse(FUNCTION.format(lines=lines)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return is_plain(ast.parse(expression, mode="eval").body, Scope(function, None))


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        "'text'",
        "b",
        "d",
        "b * d + 1",
        "len(a)",
        "a.shape[0]",
        "a.size(0)",
        "a is None",
        "max(b, d)",
        "(1, b)",
        "b if a else d",
        "[b for _ in a]",
        "math.sqrt(b)",
        "a.item()",
    ],
)
def test_numbers_sizes_and_texts_are_plain(expression: str) -> None:
    assert plain(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "a",
        "c",
        "e",
        "rest",
        "a > 0",
        "max(a, b)",
        "f(b)",
        "b * a",
        "unknown",
        "a.grad",
        "self.n",
        "a.bool()",
    ],
)
def test_what_may_be_a_tensor_is_not(expression: str) -> None:
    assert not plain(expression)


@pytest.mark.parametrize(
    "lines",
    [
        "n = 1; n = n + 1",
        "n = m = d; m += n",
        "n, k = a.shape",
        "n, k = 1, a",
        "for n in range(3): pass",
        "for n, k in zip([1, 2], a): pass",
        "n = k = 0; k, n = n, k",
    ],
)
def test_a_name_is_what_all_of_its_bindings_are(lines: str) -> None:
    assert plain("n", lines)


@pytest.mark.parametrize(
    "lines",
    [
        "n = 1; n = a",
        "n, k = f()",
        "n += 1",
        "for n in a: pass",
        "k, n = 1, a",
        "for k, n in zip([1, 2], a): pass",
        "n = 1; g = lambda n: n",
    ],
)
def test_a_name_that_one_binding_may_make_a_tensor_is_not(lines: str) -> None:
    assert not plain("n", lines)


def test_a_long_sum_is_no_deep_recursion() -> None:
    assert plain(" + ".join(["b"] * 800))

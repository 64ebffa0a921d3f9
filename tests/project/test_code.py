"""The code of a node as text."""

import ast

import pytest

from autograd_lint.project.code import code_of, on_one_line


@pytest.mark.parametrize(
    "code",
    [
        "f(a, *b, key=c, **d)",
        "f((a, b), (x for x in y), lambda: 0)",
        "model.layers[0](x).view(-1, n)",
        "x[1:, ..., None]",
        "x[(a, b)]",
        "x[(a := 1)]",
        "(a + b).sum(0)",
        "(1).real",
        "f'{f(x)[\"a\"]}'.join(y)",
    ],
)
def test_the_code_of_an_expression_is_what_python_makes_of_it(code: str) -> None:
    node = ast.parse(code, mode="eval").body
    assert code_of(node) == ast.unparse(node)


def test_code_of_several_lines_is_put_on_one() -> None:
    node = ast.parse("if a:\n    b = 1").body[0]
    assert on_one_line(node) == "if a: b = 1"

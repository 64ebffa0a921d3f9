"""By which text a function is known."""

import ast
from textwrap import indent

import pytest

from autograd_lint.observed.texts import digest, functions_in

FUNCTION = "def f(x):\n    # doubles\n    return x * 2\n"


def digest_of(text: str, name: str = "f") -> str:
    nodes = dict(functions_in(ast.parse(text)))
    return digest(text.splitlines(), nodes[name])


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\n" + FUNCTION,
        "@torch.no_grad()\n" + FUNCTION,
        FUNCTION.replace("2\n", "2   \n"),
        FUNCTION + "\n\ndef g(x): ...\n",
    ],
)
def test_what_stands_around_it_does_not_matter(text: str) -> None:
    assert digest_of(text) == digest_of(FUNCTION)


def test_its_indentation_does_not_matter() -> None:
    text = "class Net:\n" + indent(FUNCTION, "    ")
    assert digest_of(text, "Net.f") == digest_of(FUNCTION)


def test_an_edit_makes_another_function_of_it() -> None:
    assert digest_of(FUNCTION.replace("2", "3")) != digest_of(FUNCTION)


def test_functions_in_functions_are_left_out() -> None:
    text = "def f():\n    def g(): ...\nclass A:\n    async def h(self): ...\n"
    assert [name for name, _ in functions_in(ast.parse(text))] == ["f", "A.h"]

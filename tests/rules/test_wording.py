"""How operators are named in sentences."""

import pytest

from autograd_lint.rules.wording import short_call, spoken


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        ("sigmoid", "`sigmoid`"),
        ("nn.functional.relu", "`relu`"),
        ("linalg.inv", "`inv`"),
        ("nn.Linear", "`nn.Linear`"),
        ("getitem", "indexing"),
        ("__setitem__", "item assignment"),
        ("self.net(x.y)", "`self.net(x.y)`"),
        ("", "an operator"),
    ],
)
def test_operators(operator: str, words: str) -> None:
    assert spoken(operator) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [("backward", "`backward()`"), ("torch.autograd.grad", "`grad()`"), ("", "backward")],
)
def test_calls(name: str, words: str) -> None:
    assert short_call(name) == words

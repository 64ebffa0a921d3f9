"""Conditions after which a function raises further on."""

import pytest

from autograd_lint.project.source import Source
from autograd_lint.vm.refusals import sides_without_refusal
from tests.vm.running import kinds

DRAWING = """
def drawn():
    for _ in range(10):
        y = draw()
        if y.isnan():
            {leaves}
    {otherwise}
    return y
"""
NOTING = """
def check(names, table):
    unknown = []
    for name in names:
        if name not in table:
            {noted}
    if unknown:
        {refused}
"""


def sides(text: str) -> list[bool]:
    """The sides of the conditions of a function that do not lead to a `raise`."""
    source = Source("a.py", text)
    return list(sides_without_refusal(source, source.tree.body[0]).values())


@pytest.mark.parametrize(
    ("leaves", "otherwise", "known"),
    [
        ("return y", "raise ValueError", [True]),
        ("return y", "assert False", [True]),
        ("break", "else:\n        raise ValueError", [True]),
        ("break", "raise ValueError", []),
        ("continue", "raise ValueError", []),
        ("return y", "y = None", []),
    ],
)
def test_a_loop_that_tries_until_it_succeeds_is_left(
    leaves: str, otherwise: str, known: list[bool]
) -> None:
    assert sides(DRAWING.format(leaves=leaves, otherwise=otherwise)) == known


@pytest.mark.parametrize(
    ("noted", "refused", "known"),
    [
        ("unknown.append(name)", "raise KeyError(unknown)", [False]),
        ("unknown.append(name)", "print(unknown)", []),
        ("unknown.append(name); print(name)", "raise KeyError(unknown)", []),
        ("other.append(name)", "raise KeyError(unknown)", []),
    ],
)
def test_what_is_noted_to_be_refused_is_not_noted(
    noted: str, refused: str, known: list[bool]
) -> None:
    assert sides(NOTING.format(noted=noted, refused=refused)) == known


def test_what_stands_behind_such_a_function_is_run() -> None:
    check = NOTING.format(noted="unknown.append(name)", refused="raise KeyError(unknown)")
    train = """
def train(net, x, names, table):
    check(names, table)
    y = net(x).sigmoid()
    y *= 2
    y.sum().backward()
"""
    assert kinds(check + train) == ["saved-tensor-modified"]

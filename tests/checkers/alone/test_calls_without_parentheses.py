"""Statements that only name a method of training, wherever they stand."""

import pytest

from autograd_lint.checkers.alone.calls_without_parentheses import judge
from tests.checkers.noting import told_at

TRAINING = """
class Trainer:
    {decorated}
    def step(self):
        return 1

def run(loss, optimizer, model):
    {statement}
"""


def _rows(statement: str, decorated: str = "") -> list[int]:
    text = TRAINING.format(statement=statement, decorated=decorated)
    return told_at(judge, text)


@pytest.mark.parametrize(
    "statement", ["loss.backward", "optimizer.step", "optimizer.zero_grad", "model.eval"]
)
def test_a_method_that_is_only_named_is_told_though_nothing_calls_the_function(
    statement: str,
) -> None:
    assert _rows(statement) == [8]


@pytest.mark.parametrize(
    "statement", ["loss.backward()", "step = optimizer.step", "model.weight", "run(optimizer.step)"]
)
def test_a_method_that_is_called_or_handed_on_is_quiet(statement: str) -> None:
    assert _rows(statement) == []


def test_a_property_of_the_file_may_do_something() -> None:
    assert _rows("optimizer.step", decorated="@property") == []

"""Layers in objects that are no modules, and in functions."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
class Table{bases}:
    def __init__(self):
        self.table = nn.Embedding(4, 2)
{method}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = Table()
        {more}
"""


def is_told(bases: str = "", method: str = "", more: str = "") -> bool:
    """Whether it is told of a module that holds such an object."""
    return Pitfall.UNREGISTERED in noted(TEXT.format(bases=bases, method=method, more=more))


def test_an_object_with_a_layer_that_is_no_module_is_told() -> None:
    assert is_told()


def test_a_module_or_a_class_with_a_base_is_quiet() -> None:
    assert not is_told(bases="(nn.Module)")
    assert not is_told(bases="(Base)")


def test_an_object_that_gives_its_parameters_away_is_quiet() -> None:
    assert not is_told(method="    def parameters(self):\n        return self.table.parameters()")
    assert not is_told(more="self.table = nn.ModuleList([self.words.table])")
    assert not is_told(more="self.register_module('table', self.words.table)")


def test_a_function_over_a_layer_of_the_module_is_quiet() -> None:
    program = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            head = nn.Linear(2, 1)
            {kept}
            self.score = lambda x: head(x)
    """
    assert Pitfall.UNREGISTERED in noted(program.format(kept="pass"))
    assert Pitfall.UNREGISTERED not in noted(program.format(kept="self.head = head"))
    assert Pitfall.UNREGISTERED not in noted(program.format(kept="self.add_module('h', head)"))


OF_CLASS = """
class Net(nn.Module):
    body = {made}
    def forward(self, x):
        return self.body(x)
{more}
"""


@pytest.mark.parametrize(
    ("made", "more", "told"),
    [
        ("nn.Linear(2, 2)", "", True),
        ("nn.Sequential(nn.Linear(2, 2), nn.ReLU())", "", True),
        ("nn.Sequential(nn.ReLU())", "", False),
        ("nn.Linear(2, 2)", "    def __init__(self):\n        self.body = nn.Linear(2, 2)", False),
        ("nn.Linear(2, 2)", "optimizer = SGD(Net.body.parameters())", False),
        ("nn.Linear(2, 2)", "Net.body.weight.requires_grad = False", False),
    ],
)
def test_a_layer_of_the_class_is_told_where_nothing_asks_it_for_its_parameters(
    made: str, more: str, told: bool
) -> None:
    found = noted(OF_CLASS.format(made=made, more=more))
    assert (Pitfall.UNREGISTERED in found) is told

"""What comparisons tell of what is compared."""

import ast

import pytest

from autograd_lint.facts import relevance
from autograd_lint.libraries.models import MODELS
from autograd_lint.operators.table import load
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.asking import ask_of
from autograd_lint.vm.budget import Budget
from autograd_lint.vm.choices import Choices
from autograd_lint.vm.language import PYTHON
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Path
from autograd_lint.vm.values import Unknown
from autograd_lint.vm.world import World
from tests.vm.running import certain, kinds

SHIFTED = """
def shifted(x):
    y = x.clone()
    {asked}
    first = y.sigmoid()
    first.mul_(2)
    return first
"""
DECODED = """
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        size = x.{size}
        y = torch.sigmoid(self.layer(x))
        if size {condition}:
            y += 1
        return y
"""


@pytest.mark.parametrize(
    "asked", ["y[y == -100] = 1", "y.masked_fill_(y == -100, 1)", "z = 255 != y"]
)
def test_what_equals_whole_numbers_is_data(asked: str) -> None:
    assert kinds(SHIFTED.format(asked=asked)) == []


@pytest.mark.parametrize("asked", ["z = y == 0", "z = y == 0.5", "z = y > 2", "z = y == x"])
def test_other_comparisons_tell_nothing(asked: str) -> None:
    assert kinds(SHIFTED.format(asked=asked)) == ["saved-tensor-modified"]


@pytest.mark.parametrize("size", ["size(1)", "shape[1]", "size()[1]"])
def test_a_size_of_one_is_the_exception(size: str) -> None:
    assert kinds(DECODED.format(size=size, condition="== 1")) == []


@pytest.mark.parametrize("condition", ["!= 1", "== 2", "> 1"])
def test_other_sizes_are_none(condition: str) -> None:
    program = DECODED.format(size="size(1)", condition=condition)
    assert kinds(program) == ["saved-tensor-modified"]


BOUNDS = """
def total(xs):
    kept = [x for x in xs]
    number = len(kept)
    if not {before}:
        return
    w = nn.Linear(2, 2)
    loss = w(torch.ones(2, 2)).sum()
    if {after}:
        loss = torch.zeros(())
    loss.backward()
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("number > 0", "number == 0"),
        ("number > 0", "not number"),
        ("0 < number", "number < 1"),
        ("number != 0", "number <= 0"),
        ("number >= 2", "number == 1"),
        ("number == 2", "number > 2"),
    ],
)
def test_what_follows_from_earlier_answers_is_not_decided_anew(before: str, after: str) -> None:
    assert kinds(BOUNDS.format(before=before, after=after)) == []


FILLED = """
w = nn.Linear(2, 2)
parts = []
for i in range(1000):
    parts.append(torch.ones(2))
number = len(parts)
y = w(torch.ones(2, 2)).sum()
if number == 0:
    y = torch.zeros(())
y.backward()
"""


def test_a_list_that_a_loop_fills_has_what_it_was_seen_to_get() -> None:
    assert kinds(FILLED) == []


def test_values_that_are_only_there_to_be_compared_are_told_apart() -> None:
    source = Source("a.py", "import torch\n")
    world = World(source, Project([]), load(), PYTHON, MODELS, relevance)
    interp = Interpreter(world, Choices(Path()), Budget(100))
    asked, node = Unknown("mode"), ast.parse("mode == Mode(1).value", mode="eval").body
    answers = [ask_of(interp, "eq", asked, Unknown("Mode"), node) for _ in range(9)]
    assert len(set(map(id, answers))) == 9


STORED = """
w = torch.ones(3, requires_grad=True)
part = library.part.sigmoid()
if part.size() {compared} library.size:
    w += 1
"""


@pytest.mark.parametrize(("compared", "found"), [("<", []), ("==", ["leaf-modified"])])
def test_what_has_a_size_that_is_put_in_order_is_no_tensor(compared: str, found: list[str]) -> None:
    assert kinds(STORED.format(compared=compared)) == found


CHECKED = """
import numbers
from typing import Hashable, Sequence

w = torch.ones(3, requires_grad=True)
if isinstance({value}, {kind}):
    w += 1
"""


@pytest.mark.parametrize(
    ("value", "kind"),
    [("'two'", "Hashable"), ("'two'", "Sequence"), ("2", "numbers.Number"), ("2.5", "object")],
)
def test_what_a_constant_can_do_is_known(value: str, kind: str) -> None:
    assert certain(CHECKED.format(value=value, kind=kind)) == ["leaf-modified"]


def test_what_it_cannot_do_is_known_as_well() -> None:
    assert kinds(CHECKED.format(value="2.5", kind="numbers.Integral")) == []


@pytest.mark.parametrize(
    ("kind", "found"),
    [("torch.autograd.Variable", ["leaf-modified"]), ("torch.Tensor", ["leaf-modified"])],
)
def test_each_tensor_is_a_variable(kind: str, found: list[str]) -> None:
    text = CHECKED.format(value="torch.ones(3)", kind=kind)
    assert certain(text) == found


MODULES = """
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

class Named(Layer):
    def __eq__(self, other):
        return True

one, two, named = Layer(), Layer(), Named()
if {asked}:
    y = torch.sigmoid(one.weight)
    y.mul_(2)
    y.sum().backward()
"""


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ("one == one", True),
        ("one == two", False),
        ("one != two", True),
        ("not (one == one)", False),
        ("named == two", True),
    ],
)
def test_modules_are_compared_by_their_identity(asked: str, holds: bool) -> None:
    assert certain(MODULES.format(asked=asked)) == ["saved-tensor-modified"] * holds

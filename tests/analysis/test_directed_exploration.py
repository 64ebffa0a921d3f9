"""Statements that no run has reached, and the way to them."""

import ast

import pytest

from autograd_lint.analysis.directed_exploration import Covered, goals, joined
from autograd_lint.analysis.files import analyse
from autograd_lint.evidence.wording import worded
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, faults, kinds

CACHED = """
class Model(nn.Module):
    def __init__(self, mode="plain"):
        super().__init__()
        self.mode = mode
        self.scale = nn.Linear(3, 3)

    def forward(self, x):
        if self.training:
            return x * 2
        elif self.mode == "plain":
            return x * 3
        return self._predict(x)

    def _predict(self, x):
        y = {given}.exp()
        {write}
        return y
"""
OWN = "self.scale(x)"


def test_a_branch_behind_the_mode_and_a_default_is_reached() -> None:
    text = HEAD + CACHED.format(given=OWN, write="y *= 0.5")
    (fault,) = analyse(Source("a.py", text))
    assert fault.weight == 2  # nobody trains it there
    assert fault.modified is not None and fault.modified.place is not None
    assert fault.modified.place.row == 19
    assert any("forward" in worded(assumption) for assumption in fault.assumptions)


def test_what_is_given_outside_of_training_is_hardly_differentiated() -> None:
    assert kinds(CACHED.format(given="x", write="y *= 0.5")) == []


def test_what_is_reached_there_may_be_fine() -> None:
    assert kinds(CACHED.format(given=OWN, write="y = y * 0.5")) == []


def test_a_condition_on_the_way_is_named() -> None:
    text = (
        "class A(nn.Module):\n"
        "    def forward(self, x, how='none'):\n"
        "        y = x.exp()\n"
        "        if how == 'add':\n"
        "            y += x\n"
        "        return y\n"
    )
    (fault,) = faults(text)
    assert any("how == 'add'" in worded(assumption) for assumption in fault.assumptions)


def test_a_constructor_that_takes_too_long_is_given_up() -> None:
    text = (
        "class A(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.table = [[i * j for i in range(60)] for j in range(60)]\n"
        "        for a in range(60):\n"
        "            for b in range(60):\n"
        "                self.last = self.weigh(a, b)\n"
        "    def weigh(self, a, b):\n"
        "        total = 0\n"
        "        for k in range(60):\n"
        "            total = total + a * b + k\n"
        "        return total\n"
        "    def forward(self, x):\n"
        "        y = x.exp()\n"
        "        y += 1\n"
        "        return y\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


def test_further_arguments_by_position_are_unknown() -> None:
    text = (
        "class Product:\n"
        "    def __init__(self, *factors):\n"
        "        self.factors = factors\n"
        "    def roots(self):\n"
        "        found = []\n"
        "        for factor in self.factors:\n"
        "            root = factor.matrix().sqrt()\n"
        "            root.clamp_min_(0.0)\n"
        "            found.append(root)\n"
        "        return Product(*found)\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


PLAN = """
def helper(x, deep):
    if deep:
        x.exp_()
    else:
        x.add_(1)

def outer(x):
    helper(x, False)
"""


def plan(covered: Covered) -> list[list[tuple[str, list[int]]]]:
    source = Source("a.py", PLAN)
    found = joined(goals(source, ["helper", "outer"], covered))
    return [[(goal.start.name, sorted(goal.rows)) for goal in group] for group in found]


def test_runs_begin_where_the_callers_begin() -> None:
    assert plan(Covered()) == [[("outer", [6])], [("outer", [4])]]


def test_what_was_reached_is_no_goal() -> None:
    source = Source("a.py", PLAN)
    helper, outer = source.tree.body
    assert isinstance(helper, ast.FunctionDef)
    covered = Covered({helper, outer}, {(helper.body[0], True), (helper.body[0], False)})
    assert list(goals(source, ["helper", "outer"], covered)) == []


def test_initial_values_and_counters_are_no_goals() -> None:
    text = (
        "def init_weights(m):\n"
        "    m.weight.normal_()\n"
        "def build(n):\n"
        "    parts = []\n"
        "    parts += [n]\n"
        "    n += 1\n"
        "    torch.nn.init.zeros_(n)\n"
    )
    assert list(goals(Source("a.py", text), ["init_weights", "build"], Covered())) == []


SWITCHED = """
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.on = False

    {method}

    def forward(self, x):
        y = x.exp()
        if self.on:
            y *= x
        return y
"""


def test_what_a_method_switches_on_may_be_on() -> None:
    (fault,) = faults(SWITCHED.format(method="def turn(self, on): self.on = on"))
    assert fault.kind.value == "saved-tensor-modified"
    assert any("self.on" in worded(assumption) for assumption in fault.assumptions)


def test_what_nothing_switches_on_is_off() -> None:
    assert kinds(SWITCHED.format(method="")) == []


AGENT = """
class Agent:
    def __init__(self):
        self.due = 0
        self.begin()

    def begin(self):
        self.temperature = torch.zeros(1, requires_grad=True)
        self.optimizer = torch.optim.Adam([self.temperature])

    def learn(self, batch):
        if self.due == 1:
            self.due = 0
            loss = (self.temperature.exp() * batch).sum()
            self.follow(loss)

    def follow(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.temperature = self.temperature.clamp(-5, 4){cut}
"""


def test_a_method_that_trains_is_run_with_what_its_caller_gives_it() -> None:
    assert "graph-freed" in kinds(AGENT.format(cut=""))
    assert "graph-freed" not in kinds(AGENT.format(cut=".detach().requires_grad_()"))


OPTIONS = """
class Options:
    bent = wide = False

    def __init__(self):
        self.kind = "plain"

class Scaled(nn.Module):
    def __init__(self, options=Options()):
        super().__init__()
        self.options = options
        if options.wide:
            self.on = True
        else:
            self.on = False

    def forward(self, x, wanted=("scale",), power=0):
        y = x.exp()
        if {condition}:
            y *= x
        return y
"""


@pytest.mark.parametrize(
    "condition",
    [
        "'shift' in wanted",
        "power == 2",
        "self.options.bent",
        "self.options.kind == 'bent'",
        "self.on",
    ],
)
def test_other_options_than_those_by_default_may_be_given(condition: str) -> None:
    assert kinds(OPTIONS.format(condition=condition)) == ["saved-tensor-modified"]


def test_a_condition_on_what_is_known_stays_known() -> None:
    assert kinds(OPTIONS.format(condition="not self.options")) == []

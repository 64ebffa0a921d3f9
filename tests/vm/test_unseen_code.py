"""What a call of code that is not seen may do to what it can reach."""

import ast

import pytest

from autograd_lint.engine.assumptions import Kind
from autograd_lint.vm.calls import Call
from autograd_lint.vm.unseen_code import reaches_objects
from autograd_lint.vm.values import ELEMENT, Unknown, Value
from tests.vm.running import certain, faults, kinds

CELL = """
from elsewhere import Registry, restart

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.v = torch.zeros(3)

    def reset(self):
        self.v = torch.zeros(3)

    def forward(self, x):
        self.v = self.v + self.linear(x)
        return self.v

net = Cell()
for _ in range(10):
    net(torch.randn(3)).sum().backward()
"""


def test_state_that_no_unseen_code_can_reach_is_certain_to_be_kept() -> None:
    assert certain(CELL + "    restart()\n") == ["graph-freed"]


def test_an_object_given_to_unseen_code_is_assumed_to_be_left_alone() -> None:
    (found,) = faults(CELL + "    restart(net)\n")
    assert [one.kind for one in found.assumptions] == [Kind.LEFT_ALONE]


def test_an_object_in_a_container_is_reached_as_well() -> None:
    assert certain(CELL + "    restart({'nets': [net]})\n") == []


def test_an_unknown_object_may_be_any_that_has_the_method() -> None:
    assert kinds(CELL + "    for one in Registry.all():\n        one.reset()\n") == []


def test_another_method_of_an_unknown_object_concerns_no_object_of_the_program() -> None:
    program = CELL + "    for one in Registry.all():\n        one.log()\n"
    assert certain(program) == ["graph-freed"]


def test_the_object_of_a_method_that_an_unseen_base_has_is_reached() -> None:
    program = CELL.replace("(nn.Module)", "(nn.Module, Registry)")
    assert certain(program + "    net.start_anew()\n") == []


@pytest.mark.parametrize(
    ("given", "found"), [("total=9, disable=not loud", ["graph-freed"]), ("net", []), ("loud", [])]
)
def test_what_a_package_has_made_is_an_object_of_the_program_where_it_was_given_one(
    given: str, found: list[str]
) -> None:
    """`loud` may be such an object."""
    bar = CELL.replace("net = Cell()", "net = Cell()\nloud = restart(net)")
    bar = bar.replace("for _", f"with bars.bar({given}) as progress:\n  for _")
    bar = bar.replace("Registry, restart\n", "Registry, restart\nimport bars\n")
    program = bar.replace("    net(", "    progress.reset()\n    net(")
    assert certain(program) == found


DEEP = """
from elsewhere import show

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        self.scores = self.linear(x)
        return self.scores

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        return self.cell(x)

net = nn.Sequential(nn.Sequential(Layer()), nn.ReLU())
net(torch.randn(3)).sum().backward()
{between}
print(net[0][0].cell.scores.numpy())
"""


@pytest.mark.parametrize(("between", "sure"), [("show(net)", False), ("show()", True)])
def test_an_object_deep_in_a_model_is_reached_as_well(between: str, sure: bool) -> None:
    assert ("numpy-on-grad" in certain(DEEP.format(between=between))) is sure


@pytest.mark.parametrize(
    ("spread", "reaches"),
    [
        ([Unknown("batch", attributes={ELEMENT: True})], False),
        ([Unknown("options")], True),
        ([], True),
    ],
)
def test_what_a_loop_gives_holds_no_objects_where_it_is_spread(
    spread: list[Value], reaches: bool
) -> None:
    node = ast.parse("model(**batch)").body[0]
    assert reaches_objects(Call([], {}, node, open=True, spread=spread)) is reaches


KEPT_BY_BASE = """
from simulation import Sampler
class Particles(Sampler):
    def __init__(self, places):
        super().__init__()
        self.places = places
        {}
    def force(self):
        return self.places.grad.data
particles = Particles(torch.zeros(3))
nn.Linear(3, 1)(particles.places).backward()
particles.force()
"""


def test_a_base_that_is_not_seen_may_have_what_it_is_given_require_grad() -> None:
    assert kinds(KEPT_BY_BASE.format("self.set_places(places)")) == []
    assert kinds(KEPT_BY_BASE.format("pass")) == ["non-leaf-grad"]
    assert kinds(KEPT_BY_BASE.format("self.set_places(2 * places)")) == ["non-leaf-grad"]


def test_a_base_that_is_not_found_may_do_so_too() -> None:
    found = "from . import _core\nclass Sampler(_core.Sampler):\n    pass"
    text = KEPT_BY_BASE.replace("from simulation import Sampler", found)
    assert kinds(text.format("self.set_places(places)")) == []
    assert kinds(text.format("pass")) == ["non-leaf-grad"]

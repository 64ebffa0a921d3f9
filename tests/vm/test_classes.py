"""What a class says of itself."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

ASKED = """
class Base:
    pass

class Derived(Base):
    limit = 1

    def run(self):
        cls = self.__class__
        w = torch.ones(3, requires_grad=True)
        if {condition}:
            w += 1

Derived().run()
"""
TRUE = [
    "cls.__name__ == 'Derived'",
    "'limit' in cls.__dict__",
    "'run' in cls.__dict__.keys()",
    "cls.__bases__[0].__name__ == 'Base'",
    "nn.Conv2d(1, 1, 1).__class__.__name__.find('Conv') != -1",
    "type(nn.Sequential()).__name__ == 'Sequential'",
]


@pytest.mark.parametrize("condition", TRUE)
def test_a_class_knows_its_name_its_bases_and_what_it_holds(condition: str) -> None:
    assert certain(ASKED.format(condition=condition)) == [FaultKind.LEAF_MODIFIED.value]
    assert certain(ASKED.format(condition=f"not ({condition})")) == []


WRAPPING = """
from functools import wraps

class Base(nn.Module):
    def __init_subclass__(cls, quiet=True):
        super().__init_subclass__()
        solve = cls.solve
        @wraps(solve)
        def wrapped(self):
            if not quiet:
                return solve(self)
            with torch.no_grad():
                return solve(self)
        cls.solve = wrapped

class Net(Base{options}):
    def __init__(self):
        super().__init__()
        self.x = nn.Parameter(torch.ones(2))

    def solve(self):
        self.x.mul_(2)

Net().solve()
"""


def test_a_base_may_wrap_the_methods_of_classes_that_derive_from_it() -> None:
    assert certain(WRAPPING.format(options="")) == []
    loud = WRAPPING.format(options=", quiet=False")
    assert certain(loud) == [FaultKind.LEAF_MODIFIED.value]


SWITCH = """
class Flag:
    default = False
    state = {state}

    @classmethod
    def on(cls):
        return cls.default if cls.state is None else cls.state

class Special(Flag):
    pass

w = torch.ones(3, requires_grad=True)
if Special.on():
    w += 1
"""


def test_an_attribute_of_a_class_may_be_none() -> None:
    assert kinds(SWITCH.format(state=None)) == []
    assert certain(SWITCH.format(state=True)) == [FaultKind.LEAF_MODIFIED.value]


DECORATED = """
from {package} import {name}

@{name}
def update(w):
    w += 1

update(torch.ones(2, requires_grad=True))
"""


@pytest.mark.parametrize(
    ("package", "name", "assumed"),
    [
        ("unseen", "wrapped", ["`wrapped` leaves grad mode unchanged"]),
        ("functools", "cache", []),
        ("torch", "compile", []),
    ],
)
def test_a_decorator_of_unknown_code_may_switch_grad_mode(
    package: str, name: str, assumed: list[str]
) -> None:
    (fault,) = faults(DECORATED.format(package=package, name=name))
    assert list(map(worded, fault.assumptions)) == assumed


def test_steps_of_optimizers_that_may_be_differentiable_run_without_grad_mode() -> None:
    name = "_use_grad_for_differentiable"
    assert kinds(DECORATED.format(package="torch.optim.optimizer", name=name)) == []


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("issubclass(Part, Base)", True),
        ("issubclass(Part, (Other, Base))", True),
        ("issubclass(Other, Base)", False),
        ("inspect.isclass(Part)", True),
        ("inspect.isclass(Part())", False),
    ],
)
def test_what_is_a_class_and_of_what_it_is_derived_is_known(asked: str, found: bool) -> None:
    defined = "import inspect\nclass Base: ...\nclass Part(Base): ...\nclass Other: ...\n"
    written = f"w = torch.ones(3, requires_grad=True)\nif {asked}:\n    w += 1\n"
    assert certain(defined + written) == ["leaf-modified"] * found

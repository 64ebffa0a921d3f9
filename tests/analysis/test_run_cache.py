"""What was explored before is explored again only where something has changed that it read."""

import random
from collections.abc import Iterator

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.analysis.import_cache import Kept
from autograd_lint.analysis.runs import Runs
from autograd_lint.project.modules import Project
from autograd_lint.project.renewing import renewed
from autograd_lint.project.source import Source
from tests.edits import TRAINING, edited

PROGRAM = f"""\
import functools

import torch
from torch import nn

SCALE = 2
history = []
registry = dict()
args = parse()


class Settings:
    pass


settings = Settings()


def registered(function):
    registry[function.__name__] = function
    return function


def counted(function):
    @functools.wraps(function)
    def wrapper(*given):
        global calls
        calls = calls + 1
        return function(*given)

    return wrapper


calls = 0


class Base(nn.Module):
    shared = []

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.state = None

    def reset(self):
        self.state = None

    def extra_repr(self):
        return "a layer"

    def scaled(self, x):
        return x * SCALE


class Block(Base):
    def forward(self, x):
        h = torch.sigmoid(self.layer(x))
        h += 1
        return self.scaled(h)


class Other(Base):
    def __init__(self, inplace=args.inplace):
        super().__init__()
        self.inplace = inplace

    @counted
    def forward(self, x):
        h = torch.exp(self.layer(x))
        if self.inplace:
            h.mul_(2)
        Base.shared.append(1)
        return h


class Recurrent(Base):
    def forward(self, x):
        self.state = x if self.state is None else self.state + self.layer(x)
        history.append(self.state.mean())
        return self.state


{TRAINING}

def chosen(name, x):
    if len(history) > 3:
        x.add_(1)
    if args.level > 2 and not args.dry and settings.name not in registry:
        x.mul_(2)
    return registry[name](x, [x])
"""


class Editing:
    """Analyses one text after another, and counts what is run for each."""

    def __init__(self, text: str) -> None:
        self.source = Source("program.py", text)
        self.kept = Kept()

    def check(self, text: str) -> None:
        """Analyse a text that can be parsed; the faults are those of an analysis from nothing."""
        if text != self.source.text:
            self.source = renewed(self.source, text)
        found = analyse(self.source, Project.alone(), kept=self.kept)
        assert found == analyse(Source("program.py", text), Project.alone()), text


@pytest.fixture
def explored(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How often definitions were explored, in the last place of a list."""
    count, explore = [0], Runs.explore

    def counting(*given: object, **more: object) -> object:
        count[-1] += 1
        return explore(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Runs, "explore", counting)
    yield count


def runs_after(edit: tuple[str, str], explored: list[int]) -> int:
    """How many definitions are explored for an edit, the module itself included."""
    kept, source = Kept(), Source("program.py", PROGRAM)
    for _ in range(2):
        analyse(source, Project.alone(), kept=kept)
    explored.append(0)
    analyse(renewed(source, PROGRAM.replace(*edit)), Project.alone(), kept=kept)
    return explored[-1]


def test_a_remark_costs_no_run_but_that_of_the_module(explored: list[int]) -> None:
    assert runs_after(("import functools\n", "# a remark\nimport functools\n"), explored) == 1


def test_a_method_costs_the_runs_of_its_class(explored: list[int]) -> None:
    assert runs_after(("h += 1", "h += 2"), explored) == 2


def test_what_stands_beside_an_edit_costs_nothing(explored: list[int]) -> None:
    assert runs_after(("self.state.mean()", "self.state.sum()"), explored) == 2


def test_what_is_inherited_and_not_called_costs_nothing(explored: list[int]) -> None:
    assert runs_after(("a layer", "some layer"), explored) == 1


def test_what_is_inherited_costs_the_runs_that_come_by_it(explored: list[int]) -> None:
    assert runs_after(("return x * SCALE", "return SCALE * x"), explored) == 2  # Block
    assert runs_after(("nn.Linear(3, 3)", "nn.Linear(3, 3, bias=False)"), explored) == 4


def test_a_number_costs_the_runs_that_read_it(explored: list[int]) -> None:
    assert runs_after(("SCALE = 2", "SCALE = 3"), explored) == 2


def parsed(text: str) -> bool:
    try:
        return Source("program.py", text).tree is not None
    except SyntaxError:
        return False


@pytest.mark.parametrize("seed", range(4))
def test_the_same_faults_as_from_nothing(seed: int) -> None:
    chance, editing, text = random.Random(seed), Editing(PROGRAM), PROGRAM
    for _ in range(15):
        editing.check(text)
        tried = (edited(text, chance) for _ in range(20))
        text = PROGRAM if chance.random() < 0.15 else next(filter(parsed, tried), PROGRAM)

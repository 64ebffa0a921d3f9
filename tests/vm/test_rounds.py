"""How many rounds of a training loop are run, where another loop stands around it."""

import pytest

from autograd_lint.analysis.runs import Runs
from autograd_lint.vm.machine import Interpreter
from tests.vm.running import faults, kinds

NESTED = """
model = nn.Linear(2, 1)
for epoch in range(library.epochs()):
    for x in library.data():
        model(x).sum().backward()
"""

CALLED = """
model = nn.Linear(2, 1)

def train():
    for x in library.data():
        model(x).sum().backward()

for epoch in range(library.epochs()):
    train()
"""

WINDOWS = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(library.epochs()):
    for step, x in enumerate(library.data()):
        model(x).sum().backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
"""

APART = """
model = nn.Linear(2, 1)

def train():
    for x in library.data():
        model(x).sum().backward()

train()
train()
"""


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many backwards each run has come by."""
    found: list[int] = []
    along = Runs.along

    def noted(self: Runs, *given: object) -> Interpreter:
        run = along(self, *given)  # type: ignore[arg-type]
        found.append(len(run.engine.backward.passes))
        return run

    monkeypatch.setattr(Runs, "along", noted)
    return found


@pytest.mark.parametrize("text", [NESTED, CALLED])
def test_the_outer_loop_and_in_its_second_round_the_inner_one_are_taken_twice(
    text: str, passes: list[int]
) -> None:
    faults(text)
    assert passes[0] == 3 + 2


def test_in_the_second_round_of_the_outer_loop_one_window_of_batches_is_waited_for(
    passes: list[int],
) -> None:
    faults(WINDOWS)
    assert passes[0] == 3 * 4 + 4


def test_another_call_of_a_loop_is_another_loop(passes: list[int]) -> None:
    faults(APART)
    assert passes[0] == 3 + 3


BETWEEN = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
kept = None
for task in range(library.tasks()):
    for x in library.data():
        loss = model(x).sum()
        if kept is not None:
            loss = loss + (model.weight - kept).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    kept = model.weight.detach()
"""


def test_what_is_kept_between_two_inner_loops_is_seen_to_be_written_by_the_second() -> None:
    assert "snapshot-overwritten" in kinds(BETWEEN)


LONG_ROUNDS = """
class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)
        self.third = nn.Linear(3, 3)
        self.fourth = nn.Linear(3, 3)
        self.fifth = nn.Linear(3, 3)

def run(model, x):
    weights = iter(model.parameters())
    for module in model.children():
        for _ in range(16):
            y = x + 1
            y = y * 2
            y = y - x
            x = x + y
        x = nn.functional.linear(x, next(weights), next(weights))
    return x

model = Layers()
other = torch.ones(3, requires_grad=True)
x = run(model, torch.ones(3))
torch.autograd.grad(x.sum(), {})
"""


def test_rounds_that_are_left_out_may_use_the_other_parameters() -> None:
    assert kinds(LONG_ROUNDS.format("model.parameters()")) == []
    assert kinds(LONG_ROUNDS.format("[other]")) == ["unused-input"]

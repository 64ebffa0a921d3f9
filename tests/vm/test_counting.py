"""Numbers that count iterations and calls, of which a run sees few."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, kinds

LOOP = """
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 0
for x in torch.ones(100, 2):
    loss = model(x).sum()
    loss.backward()
    steps += 1
    if steps % {every} == {rest}:
        optimizer.zero_grad()
        optimizer.step()
"""

CALLS = """
class Agent:
    def __init__(self):
        self.online = torch.nn.Linear(2, 1)
        self.target = torch.nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)
        self.calls = 0

    def learn(self, x):
        with torch.no_grad():
            wanted = self.target(x)
        loss = (self.online(x) - wanted).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.calls += 1
        if self.calls % 50 == 0:
            self.sync()

    def sync(self):
        self.target = self.online

agent = Agent()
for x in torch.ones(100, 2):
    agent.learn(x)
"""


def possible(text: str) -> list[str]:
    """The kinds of all faults of a program, those that rest on a condition too."""
    return [fault.kind.value for fault in analyse(Source("a.py", HEAD + text))]


@pytest.mark.parametrize(("every", "rest"), [(4, 0), (10, 0), (10, 9)])
def test_what_is_done_in_every_nth_iteration_is_reached(every: int, rest: int) -> None:
    assert "zero-grad-before-step" in possible(LOOP.format(every=every, rest=rest))


def test_what_is_done_in_every_nth_call_is_reached() -> None:
    assert possible(CALLS) == ["own-state-loaded"]


def test_a_number_that_ends_its_loop_stays_exact() -> None:
    text = """
w = torch.ones(2, requires_grad=True)
n = 0
while n < 3:
    n += 1
if n % 2 == 0:
    w.add_(1)
"""
    assert kinds(text) == []

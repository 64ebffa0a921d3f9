"""Methods that train, called again and again: what comes between two calls of one."""

import pytest

from tests.vm.running import kinds

MODEL = """
class Model:
    def __init__(self, options):
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.optimizer = torch.optim.SGD(self.first.parameters(), lr=0.1)

    def set_input(self, x):
        self.x = x

    def forward(self):
        {forward}

    def backward_first(self):
        self.loss = self.fake.square().mean()
        self.loss.backward()

    def optimize(self):
        {begins}
        self.optimizer.zero_grad()
        self.backward_first()
        self.optimizer.step()
"""
ANEW = "self.fake = self.first(self.x)"


def test_a_part_of_a_step_is_not_called_between_two_steps() -> None:
    assert kinds(MODEL.format(forward=ANEW, begins="self.forward()")) == []


@pytest.mark.parametrize("begins", ["self.x = self.x * 2", "self.second(self.x)"])
def test_what_nothing_sets_anew_is_walked_again(begins: str) -> None:
    kept = "self.fake = getattr(self, 'fake', 0) + self.first(self.x)"
    assert "graph-freed" in kinds(MODEL.format(forward=kept, begins="self.forward()"))
    assert kinds(MODEL.format(forward=ANEW, begins=begins)) == []


AGENT = """
class Agent:
    def __init__(self):
        self.policy = nn.Linear(3, 2)
        self.optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)

    def begin(self):
        self.kept = torch.tensor([])
{remember}
    def learn(self):
        self.optimizer.zero_grad()
        self.kept.sum().backward()
        self.optimizer.step()
"""
REMEMBER = """
    def remember(self, log_probability):
        self.kept = torch.cat([self.kept, log_probability])
"""


def test_what_is_begun_anew_between_two_steps_is_added_to_before_the_next() -> None:
    assert kinds(AGENT.format(remember=REMEMBER)) == []
    assert kinds(AGENT.format(remember="")) == ["no-grad-root"]

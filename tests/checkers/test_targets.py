"""Targets that learn, and where they are computed."""

from tests.vm.running import HEAD, faults

LEARNING = """
import copy

class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        self.target = copy.deepcopy(self.net)
        self.steps = torch.optim.SGD(self.net.parameters(), 0.1)

    def wanted(self, reward, later):
        return reward + 0.9 * self.target(later)

    def learn(self, states, reward, later):
        wanted = self.wanted(reward, later)
        loss = nn.functional.mse_loss(self.net(states), wanted)
        self.steps.zero_grad()
        loss.backward()
        self.steps.step()

agent = Agent()
for x in torch.randn(9, 3, 2):
    agent.learn(x, torch.ones(3, 1), x + 1)
"""


def test_the_call_that_computes_the_target_is_named() -> None:
    (fault,) = faults(LEARNING)
    assert fault.kind.value == "target-learns"
    places = [one.place for one in fault.noted if one.said == "the target is computed here"]
    lines = (HEAD + LEARNING).splitlines()
    assert [lines[place.row - 1].strip() for place in places if place] == [
        "return reward + 0.9 * self.target(later)"
    ]


BOUNDED = """
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for x in torch.randn(9, 3, 2):
    here, there = {here}, net(x + 1) * 0.99 + 0.001
    loss = ({picked} - there).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_what_is_scaled_and_shifted_as_the_other_side_is_no_target() -> None:
    alike = "net(x) * 0.99 + 0.001"
    assert faults(BOUNDED.format(here=alike, picked="here[:3]")) == []
    assert faults(BOUNDED.format(here=alike, picked="here[x[:, 0] > -9]")) == []
    (fault,) = faults(BOUNDED.format(here="net(x)", picked="here[:3]"))
    assert fault.kind.value == "target-learns"


MOVED = """
import copy
net = nn.Linear(2, 1)
before = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for x in torch.randn(9, 3, 2):
    near = sum(((p - b) ** 2).sum() for p, b in zip(net.parameters(), before.parameters()))
    loss = net(x).square().mean() + near
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_weights_that_are_compared_with_what_they_were_have_no_target() -> None:
    assert faults(MOVED) == []

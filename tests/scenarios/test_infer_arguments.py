"""What an object is given is made into what its methods use it as."""

import pytest

from tests.vm.running import kinds

TRAINER = """
class Trainer:
    def __init__(self, model, optimizer, loss):
        {kept}

    def train(self, loader):
        total = 0
        for x, y in loader:
            loss = self.loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss
        return total
"""


@pytest.mark.parametrize(
    "kept",
    [
        "self.model = model; self.optimizer = optimizer; self.loss = loss",
        "self.model, self.optimizer, self.loss = model, optimizer, loss",
        "self.model = model.to('cuda'); self.optimizer = optimizer; self.loss = loss.cuda()",
    ],
)
def test_however_it_is_kept(kept: str) -> None:
    assert kinds(TRAINER.format(kept=kept)) == ["graph-kept"]


TWICE = """
class Learner:
    def __init__(self):
        self.actor, self.critic = nn.Linear(2, 1), nn.Linear(2, 1)
        self.first = torch.optim.SGD(self.actor.parameters(), lr=0.1)
        self.second = torch.optim.SGD(self.critic.parameters(), lr=0.1)

    def update(self, batch):
        mask = {given}[:, 1:] * 2
        self.first.zero_grad()
        (self.actor(torch.ones(2)) * mask).sum().backward()
        self.first.step()
        self.second.zero_grad()
        (self.critic(torch.ones(2)) * mask).sum().backward()
        self.second.step()
"""


def test_a_field_of_a_batch_is_no_part_of_a_graph() -> None:
    assert kinds(TWICE.format(given="batch['mask']")) == []


def test_what_is_handed_to_code_that_trains_may_have_a_graph() -> None:
    text = TWICE.format(given="batch").replace("batch", "features")
    assert kinds(text) == ["graph-freed"]

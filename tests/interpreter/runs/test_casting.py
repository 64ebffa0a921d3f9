"""What an object is given is made into what its methods use it as."""

import pytest

from tests.interpreter.running import kinds

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

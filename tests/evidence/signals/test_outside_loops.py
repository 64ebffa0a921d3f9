"""An evaluation of one result in a helper, and one of a whole data set."""

import pytest

from tests.vm.running import faults

EVALUATED = """
class Trainer:
    def __init__(self, loader):
        self.net = nn.Linear(2, 1)
        self.loader = loader
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def fit(self):
        self.net.train()
        for x, y in self.loader:
            loss = (self.net(x) - y).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def evaluate(self, x):
        self.net.eval()
        {code}
"""


@pytest.mark.parametrize(
    ("code", "outside"),
    [
        ("print(self.net(x).sum().item())", True),
        ("for x, y in self.loader: print(self.net(x).sum().item())", False),
        ("print([self.net(x).sum().item() for x, y in self.loader])", False),
    ],
)
def test_an_evaluation_in_no_loop_says_so(code: str, outside: bool) -> None:
    (found,) = faults(EVALUATED.format(code=code))
    assert ("outside-loops" in found.signals) is outside

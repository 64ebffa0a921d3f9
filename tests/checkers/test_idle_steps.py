"""Optimizers whose steps never have any effect."""

from tests.vm.running import HEAD, faults

COPIED = """
import copy

class Runner:
    def __init__(self, model, optimizer):
        self.model = copy.deepcopy(model)
        self.optimizer = optimizer

    def step(self, x):
        self.optimizer.zero_grad()
        self.model(x).sum().backward()
        self.optimizer.step()

model = nn.Linear(2, 1)
runner = Runner(model, torch.optim.SGD(model.parameters(), lr=0.1))
for x in torch.ones(9, 1, 2):
    runner.step(x)
"""


def test_the_line_that_copies_what_is_trained_is_named() -> None:
    (fault,) = faults(COPIED)
    assert fault.kind.value == "optimizer-without-gradients"
    (copied,) = fault.noted
    assert copied.place is not None
    line = (HEAD + COPIED).splitlines()[copied.place.row - 1]
    assert line.strip() == "self.model = copy.deepcopy(model)"

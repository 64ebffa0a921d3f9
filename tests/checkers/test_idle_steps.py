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


LENT = """
from package import augment

image = torch.ones(1, 2, requires_grad=True)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD([image], lr=0.1)
for _ in range(9):
    optimizer.zero_grad()
    model.zero_grad()
    model(augment({given})).sum().backward()
    optimizer.step()
"""


def test_what_unknown_code_makes_of_a_leaf_may_lead_back_to_it() -> None:
    assert faults(LENT.format(given="image")) == []


def test_unknown_code_that_is_given_something_else_does_not_lead_to_a_leaf() -> None:
    (fault,) = faults(LENT.format(given="torch.ones(1, 2)"))
    assert fault.kind.value == "optimizer-without-gradients"

"""Modules that stay in evaluation mode after a validation."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "train() comes once": """
net = torch.nn.Sequential(net, torch.nn.Dropout(0.5))
def validate():
    net.eval()  # here
    with torch.no_grad():
        print(net(x))
net.train()
for _ in range(3):
    fit((net(x) - y).square().mean())
    validate()
""",
    "in a part of another module": """
whole = torch.nn.Sequential(net, torch.nn.BatchNorm1d(1))
opt = torch.optim.SGD(whole.parameters(), lr=0.1)
for step in range(6):
    fit((whole(x) - y).square().mean())
    if step % 2:
        for part in whole:
            part.eval()  # here
""",
}

RIGHT = {
    "train() comes back": """
net = torch.nn.Sequential(net, torch.nn.Dropout(0.5))
for _ in range(3):
    net.train()
    fit((net(x) - y).square().mean())
    net.eval()
    with torch.no_grad():
        print(net(x))
""",
    "evaluated from the first step on": """
net = torch.nn.Sequential(net, torch.nn.BatchNorm1d(1))
for _ in range(4):
    net.eval()
    fit((net(x) - y).square().mean())
""",
    "a part that is to be evaluated in each epoch": """
norm = torch.nn.BatchNorm1d(1)
whole = torch.nn.Sequential(net, norm)
for _ in range(4):
    whole.train()
    norm.eval()
    fit((whole(x) - y).square().mean())
""",
    "a second phase is trained in evaluation mode": """
net = torch.nn.Sequential(net, torch.nn.Dropout(0.5))
def validate():
    net.eval()
    with torch.no_grad():
        print(net(x))
fit((net(x) - y).square().mean())
validate()
net.train()
fit((net(x) - y).square().mean())
net.eval()
for _ in range(3):
    fit((net(x) - y).square().mean())
    validate()
""",
    "nothing computes something else then": """
for _ in range(4):
    fit((net(x) - y).square().mean())
    net.eval()
""",
    "two validations after one another": """
net = torch.nn.Sequential(net, torch.nn.Dropout(0.5))
for _ in range(3):
    fit((net.train()(x) - y).square().mean())
    for _ in range(2):
        net.eval()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_validation_leaves_evaluated_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("left-in-evaluation", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_modes_that_are_set_anew_or_meant_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

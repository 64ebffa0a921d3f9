"""Modules that nobody trains, and that compute in training mode."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a teacher that drops": """
teacher = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1), torch.nn.Dropout(0.5))
for _ in range(5):
    with torch.no_grad():
        wanted = teacher(x)  # here
    fit((net(x) - wanted).square().mean())
""",
    "a teacher that was loaded": """
def made():
    norm, drop = torch.nn.BatchNorm1d(1), torch.nn.Dropout(0.5)
    return torch.nn.Sequential(torch.nn.Linear(2, 1), norm, drop)
state = made().state_dict()
teacher = made()
teacher.load_state_dict(state)
for _ in range(5):
    with torch.no_grad():
        wanted = teacher(x)  # here
    fit((net(x) - wanted).square().mean())
""",
}

RIGHT = {
    "loaded from what is trained": """
net = torch.nn.Sequential(net, torch.nn.BatchNorm1d(1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
teacher = torch.nn.Sequential(
    torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)),
    torch.nn.BatchNorm1d(1),
)
teacher.load_state_dict(net.state_dict())
for _ in range(5):
    with torch.no_grad():
        wanted = teacher(x)
    fit((net(x) - wanted).square().mean())
""",
    "loaded from what the trained one was loaded from": """
import copy
net = torch.nn.Sequential(net, torch.nn.BatchNorm1d(1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
state = {name: one.clone() for name, one in net.state_dict().items()}
teacher = torch.nn.Sequential(
    torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)),
    torch.nn.BatchNorm1d(1),
)
for one in (net, teacher):
    one.load_state_dict(state)
for _ in range(5):
    with torch.no_grad():
        wanted = teacher(x)
    fit((net(x) - wanted).square().mean())
""",
    "evaluated": """
teacher = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1)).eval()
for _ in range(5):
    with torch.no_grad():
        wanted = teacher(x)
    fit((net(x) - wanted).square().mean())
""",
    "an average of what is trained": """
import copy
net = torch.nn.Sequential(net, torch.nn.BatchNorm1d(1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
teacher = copy.deepcopy(net)
for _ in range(5):
    with torch.no_grad():
        wanted = teacher(x)
    fit((net(x) - wanted).square().mean())
    with torch.no_grad():
        for kept, p in zip(teacher.parameters(), net.parameters()):
            kept.lerp_(p, 0.1)
""",
    "trained by another optimizer": """
judge = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
other = torch.optim.SGD(judge.parameters(), lr=0.1)
for _ in range(5):
    fit((net(x) - judge(y).detach()).square().mean())
    other.zero_grad()
    (judge(y) - 1).square().mean().backward()
    other.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_teacher_in_training_mode_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("validated-in-training-mode", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_evaluated_trained_or_written_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

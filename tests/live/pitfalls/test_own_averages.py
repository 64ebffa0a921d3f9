"""Moving averages of a network with itself."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

FOLLOW = """
{target}
for _ in range(3):
    with torch.no_grad():
        wanted = 0.9 * target(x)
    fit((net(x) - wanted).square().mean() + (net(x) - y).square().mean())
    with torch.no_grad():
        for p, q in zip(net.parameters(), target.parameters()):
            {update}
"""
SAME = "target = net"
COPY = "import copy; target = copy.deepcopy(net)"
UPDATES = {
    "scaled and added to": "q.mul_(0.9).add_(p, alpha=0.1)",
    "between both": "q.lerp_(p, 0.1)",
    "copied": "q.copy_(0.9 * q + 0.1 * p)",
    "data that is copied": "q.data.copy_(0.9 * q.data + 0.1 * p.data)",
    "data that is set": "q.data = 0.9 * q.data + 0.1 * p.data",
}

WRONG = {
    "modules of the same layers": """
target = torch.nn.Sequential(*net)
for _ in range(3):
    fit((net(x) - y).square().mean())
    with torch.no_grad():
        for p, q in zip(net.parameters(), target.parameters()):
            q.lerp_(p, 0.1)  # here
""",
    "a dictionary of the parameters": """
average = dict(net.named_parameters())
for _ in range(3):
    fit((net(x) - y).square().mean())
    with torch.no_grad():
        for name, p in net.named_parameters():
            average[name].mul_(0.9).add_(p, alpha=0.1)  # here
""",
    "one of two that a function averages": """
import copy
def follow(net, target):
    with torch.no_grad():
        for p, q in zip(net.parameters(), target.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)  # here
judge = torch.nn.Linear(2, 1)
later, other = copy.deepcopy(judge), net
for _ in range(3):
    fit((net(x) - y).square().mean())
    follow(judge, later)
    follow(net, other)
""",
}

RIGHT = {
    "a layer that both share": """
class Judge(torch.nn.Module):
    def __init__(self, shared):
        super().__init__()
        self.shared, self.last = shared, torch.nn.Linear(1, 1)
    def forward(self, x):
        return self.last(self.shared(x))
judge, target = Judge(net), Judge(net)
opt = torch.optim.SGD(judge.parameters(), lr=0.1)
for _ in range(3):
    fit((judge(x) - y).square().mean())
    with torch.no_grad():
        for p, q in zip(judge.parameters(), target.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
""",
    "decay and bounds by hand": """
for _ in range(3):
    fit((net(x) - y).square().mean())
    with torch.no_grad():
        for name, p in net.named_parameters():
            p.add_(p, alpha=-0.01)
            p.copy_(p.clamp(-10, 10))
            p.data = p.data.clamp(-10, 10)
""",
}


@pytest.mark.parametrize("name", UPDATES)
def test_an_average_of_one_module_by_two_names_is_told(name: str, tmp_path: Path) -> None:
    source = FOLLOW.format(target=SAME, update=f"{UPDATES[name]}  # here")
    assert told(source, tmp_path) == here("own-state-loaded", source)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_blended_with_itself_alone_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("own-state-loaded", WRONG[name])


@pytest.mark.parametrize("name", UPDATES)
def test_an_average_that_follows_a_copy_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(FOLLOW.format(target=COPY, update=UPDATES[name]), tmp_path) == []


@pytest.mark.parametrize("name", RIGHT)
def test_shared_layers_and_bounds_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

"""Moving averages of a network with itself."""

import pytest

from tests.vm.running import HEAD, faults, kinds

TRAIN = """
import copy

def follow(average, net):
    with torch.no_grad():
        for p, q in zip(average.parameters(), net.parameters()):
            {}

net = nn.Linear(2, 1)
average = {}
opt = torch.optim.SGD(net.parameters(), 0.1)
for x in library.data():
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    follow(average, net)
"""
AVERAGES = [
    "p.copy_(0.9 * p + 0.1 * q)",
    "p.mul_(0.9).add_(q, alpha=0.1)",
    "p.lerp_(q, 0.1)",
    "p.data.copy_(0.1 * q.data + p.data * 0.9)",
]


@pytest.mark.parametrize("average", AVERAGES)
def test_an_average_of_a_network_with_itself_follows_nothing(average: str) -> None:
    (fault,) = faults(TRAIN.format(average, "net"))
    assert fault.kind.value == "own-state-loaded" and fault.tensor == "weight"
    assert kinds(TRAIN.format(average, "copy.deepcopy(net)")) == []


@pytest.mark.parametrize("write", ["p.copy_(0.9 * p)", "p.copy_(p - 0.1 * p)", "p.mul_(0.9)"])
def test_weights_that_are_only_scaled_are_averaged_with_nothing(write: str) -> None:
    assert kinds(TRAIN.format(write, "net")) == []


START = """
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
start = {{name: p.data.clone() for name, p in net.named_parameters()}}
for x in library.data():
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
with torch.no_grad():
    for name, p in net.named_parameters():
        {}
"""


@pytest.mark.parametrize(
    "write",
    [
        "p.copy_(start[name] + 0.5 * (p - start[name]))",
        "p.lerp_(start[name], 0.5)",
        "p.mul_(0.5).add_(start[name], alpha=0.5)",
    ],
)
def test_an_average_with_an_earlier_state_of_its_own_is_meant(write: str) -> None:
    assert kinds(START.format(write)) == []


SWAPPED = """
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
average = {{name: p.data{} for name, p in net.named_parameters()}}
for epoch in range(2):
    for x in library.data():
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
        for name, p in net.named_parameters():
            average[name].mul_(0.9).add_(p.data, alpha=0.1)
    kept = {{}}
    for name, p in net.named_parameters():
        kept[name] = p.data
        p.data = average[name]
    for name, p in net.named_parameters():
        p.data = kept[name]
"""


def test_an_average_that_was_swapped_in_and_out_is_another_memory() -> None:
    assert kinds(SWAPPED.format(".clone()")) == []
    assert "own-state-loaded" in kinds(SWAPPED.format(""))


NAMED = """
class Trainer:
    def __init__(self, net):
        self.net = net
        self.average = {average}

    def follow(self):
        with torch.no_grad():
            for p, q in zip({values}, self.net.parameters()):
                p.copy_(0.9 * p + 0.1 * q)

net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
trainer = Trainer(net)
for x in library.data():
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    trainer.follow()
"""


@pytest.mark.parametrize(
    ("average", "values"),
    [
        ("net", "self.average.parameters()"),
        ("net.state_dict()", "self.average.values()"),
    ],
)
def test_the_line_that_gives_the_weights_a_second_name_is_told(average: str, values: str) -> None:
    text = NAMED.format(average=average, values=values)
    (fault,) = faults(text)
    (second,) = fault.noted
    assert second.place is not None
    assert (HEAD + text).splitlines()[second.place.row - 1].strip() == f"self.average = {average}"


SHARED = """
import copy

class Critic(nn.Module):
    def __init__(self, encoder, head):
        super().__init__()
        self.encoder, self.head = encoder, head

    def forward(self, x):
        return self.head(self.encoder(x))

encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
critic = Critic(encoder, head)
target = Critic({})
opt = torch.optim.SGD(critic.parameters(), 0.1)
for x in library.data():
    opt.zero_grad()
    critic(x).sum().backward()
    opt.step()
    for p, q in zip(target.parameters(), critic.parameters()):
        p.data.copy_(0.9 * p.data + 0.1 * q.data)
"""


def test_a_part_that_two_networks_share_may_be_averaged_with_itself() -> None:
    assert kinds(SHARED.format("encoder, copy.deepcopy(head)")) == []
    assert kinds(SHARED.format("encoder, head")) == ["own-state-loaded"]


def test_beside_a_shared_part_there_may_be_copies_that_are_not_known() -> None:
    unknown = SHARED.replace("nn.Linear(2, 1)\ncritic", "library.head()\ncritic")
    assert kinds(unknown.format("encoder, library.head()")) == []

"""What a second round of a loop rests on, where nothing tells that there is one."""

import pytest

from autograd_lint.evidence.wording import worded
from autograd_lint.vm.values import Items
from tests.vm.running import bound, certain, faults, kinds

TWICE = """
w = torch.ones(3, requires_grad=True)
y = w.exp().sum()
{loop}:
    y.backward()
"""


@pytest.mark.parametrize("loop", ["for i in range(library.times())", "while library.goes_on()"])
def test_a_loop_may_be_taken_once(loop: str) -> None:
    (fault,) = faults(TWICE.format(loop=loop))
    assert [worded(one) for one in fault.assumptions] == ["the loop in line 6 runs more than once"]


@pytest.mark.parametrize("loop", ["for i in range(100)", "for x in library.data()", "while True"])
def test_a_loop_that_goes_on(loop: str) -> None:
    assert certain(TWICE.format(loop=loop)) == ["graph-freed"]


FIRST = """
w = torch.ones(3, requires_grad=True)
for i in range(library.times()):
    y = w.exp().sum()
    y.backward()
    y.backward()
"""


def test_what_the_first_round_does_is_certain() -> None:
    assert certain(FIRST) == ["graph-freed"]


EMPTIED = """
def empty(count):
    leaves = [torch.ones(3, requires_grad=True) for _ in range(count)]
    for i in range(count):
        leaves[i] = None
        leaves[1].add_(1)
"""


def test_a_position_that_is_emptied_says_nothing_of_the_next() -> None:
    assert "leaf-modified" in kinds(EMPTIED)


FILLED = """
def losses(model, count, x):
    found = [torch.empty(0) for _ in range(count)]
    for i in range({count}):
        found[i] = model(x).sum()
    sum(found).backward()
"""


def test_a_loop_over_all_positions_leaves_nothing_of_what_was_there() -> None:
    assert kinds(FILLED.format(count="count")) == []


GATHERED = """
seen = []
w = torch.ones(3, requires_grad=True)
y = w.exp()
{loop}
if len(seen) > 1000:
    y.mul_(2)
    y.sum().backward()
"""
ENDLESS = ["while True:\n    seen.append(1)", "while library.goes_on():\n    seen.append(1)"]
LEFT = "while True:\n    seen.append(1)\n    if library.stops():\n        break"


@pytest.mark.parametrize("loop", [*ENDLESS, LEFT, "for x in library.data():\n    seen.append(x)"])
def test_how_much_a_loop_gathers_is_not_known(loop: str) -> None:
    assert [one.kind for one in faults(GATHERED.format(loop=loop))] != []


def test_how_much_is_gathered_otherwise_is_known() -> None:
    assert faults(GATHERED.format(loop="for x in (1, 2, 3):\n    seen.append(x)")) == []


DRAWN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--draws", type=int, default={default})
args = parser.parse_args()
w = torch.ones(3, requires_grad=True)
noise = torch.zeros(3)
found = []
for i in range({draws}):
    found.append((w * noise.normal_()).sum())
torch.stack(found).sum().backward()
"""


def test_what_a_second_round_overwrites() -> None:
    (fault,) = faults(DRAWN.format(default=2, draws="library.draws()"))
    text = "the loop in line 11 runs more than once"
    assert [worded(one) for one in fault.assumptions] == [text]


def test_an_option_of_one_round_is_seldom_set_to_more() -> None:
    assert kinds(DRAWN.format(default=1, draws="args.draws")) == []
    assert kinds(DRAWN.format(default=2, draws="args.draws")) == ["saved-tensor-modified"]


ANNOTATED = """
def stub():
    device: torch.device
    {bound}
    torch.ones(2, dtype=torch.int64, device=device, requires_grad=True)
"""


def test_a_name_that_is_only_annotated_is_bound_to_nothing() -> None:
    assert kinds(ANNOTATED.format(bound="pass")) == []
    assert kinds(ANNOTATED.format(bound="device = torch.device('cpu')")) == ["other"]


FLAGGED = """
leaves = [torch.rand(3) for _ in range(40)]
last = torch.rand(3)
for leaf in leaves + [last]:
    leaf.requires_grad = True
    leaf.grad = None
    leaf.label = "kept"
last.sum().backward()
"""


def test_a_loop_that_only_sets_things_is_run_to_its_end() -> None:
    assert certain(FLAGGED) == []


FEATURES = """
layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range({depth})])

def features(x, wanted):
    found = []
    for i in range(len(layers)):
        x = torch.tanh(layers[i](x)) * 2 - x.sigmoid() + x.exp() / 3
        if i in wanted:
            found.append(x)
    return found

def train(x, targets):
    for step in range(9):
        outputs = features(x, [{depth} - 1])
        loss = sum((one - other).square().mean() for one, other in zip(outputs, targets))
        (loss + x.abs().mean()).backward(retain_graph=True)
        x.grad = None

train(torch.ones(2, 4, requires_grad=True), features(torch.ones(2, 4), [{depth} - 1]))
"""


@pytest.mark.parametrize("depth", [2, 40])
def test_rounds_that_are_left_out_may_add_to_lists_that_are_empty_by_then(depth: int) -> None:
    assert kinds(FEATURES.format(depth=depth)) == []


ACCUMULATING = """
def train(model, loader, optimizer, scheduler, every):
    for i, (x, y) in enumerate(loader):
        nn.functional.mse_loss(model(x), y).backward()
        if i % every == {rest}:
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()

def main(model, loader, every):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    train(model, loader, optimizer, scheduler, every)
"""


def test_the_first_round_has_no_remainder() -> None:
    assert "scheduler-first" not in kinds(ACCUMULATING.format(rest="0"))
    assert "scheduler-first" in kinds(ACCUMULATING.format(rest="every - 1"))


PAIRED = """
import sys
layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(int(sys.argv[1]))])
x = torch.ones(4)
for _, layer in zip([None] * int(sys.argv[1]), layers[1:]):
    x = layer(x)
x.sum().backward()
"""


def test_a_list_repeated_an_unknown_number_of_times_does_not_end_a_loop_over_pairs() -> None:
    assert kinds(PAIRED) == []


STEPS = """
def step(model, optimizer, batch):
    {clear}
    model(batch).sum().backward()
    optimizer.step()

def train(batches):
    model = nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    {loop}:
        step(model, optimizer, next(batches))
"""


@pytest.mark.parametrize("loop", ["while batches.more()", "while True", "for _ in batches.order()"])
def test_a_loop_of_training_steps_goes_on_until_one_comes_after_another(loop: str) -> None:
    assert kinds(STEPS.format(loop=loop, clear="pass")) == ["missing-zero-grad"]
    assert kinds(STEPS.format(loop=loop, clear="optimizer.zero_grad()")) == []


STATE = """
class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

net = Net(library.depth())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = net.state_dict()
for name in best:
    best[name] = best[name]{copied}
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
net.load_state_dict(best)
"""


@pytest.mark.parametrize(("copied", "told"), [(".clone()", False), ("", True)])
def test_all_known_elements_of_an_open_dictionary_are_gone_through(copied: str, told: bool) -> None:
    assert ("state-overwritten" in kinds(STATE.format(copied=copied))) is told


EPISODE = """
net, bias = nn.Linear(4, 3), nn.Parameter(torch.zeros(3))

def run():
    total = 0.0
    while True:
        total = total + net(library.state()){cut}.sum()
        {leave}

for _ in range(3):
    loss = run() + bias.sum()
    loss.backward()
"""


@pytest.mark.parametrize(
    "leave",
    [
        "if library.done(): return total",
        "if library.goes_on(): library.note()\n        else: return total",
    ],
)
def test_a_loop_without_another_end_is_left_where_it_returns(leave: str) -> None:
    assert "graph-kept" not in kinds(EPISODE.format(cut="", leave=leave))
    assert "constant-loss-term" in kinds(EPISODE.format(cut=".data", leave=leave))


def test_what_comes_of_a_loop_of_several_ends_hangs_on_the_one_that_is_taken() -> None:
    one, other = "if library.done(): return total", "if library.lost(): return 0.0"
    (certain,) = faults(EPISODE.format(cut=".data", leave=one))
    (doubted,) = faults(EPISODE.format(cut=".data", leave=f"{one}\n        {other}"))
    assert len(certain.assumptions) < len(doubted.assumptions)


BEHIND_A_FROZEN_ONE = """
class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(torch.rand(9, 2), freeze=True)
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(depth)])

    def forward(self, x):
        x = self.embedding(x)
        for layer in self.layers:
            x = layer(x)
        return x

net = Net(library.depth())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in library.batches():
    net(x).sum().backward()
    for p in net.parameters():
        {statement}
    optimizer.step()
"""
READING = ("print(p.grad)", "if p.requires_grad: print(p.grad)")
DROPPING = ("p.grad = None", "if p.grad is not None: p.grad = None")


@pytest.mark.parametrize("statement", [*READING, *DROPPING])
def test_a_loop_over_parameters_drops_gradients_only_where_it_does(statement: str) -> None:
    told = ["missing-zero-grad" if statement in READING else "step-before-backward"]
    assert kinds(BEHIND_A_FROZEN_ONE.format(statement=statement)) == told


def test_a_layer_that_a_short_loop_left_out_is_not_said_to_have_no_gradient() -> None:
    read = "if p.requires_grad: print(p.grad.norm())"
    assert kinds(BEHIND_A_FROZEN_ONE.format(statement=read)) == ["missing-zero-grad"]


def test_elements_that_are_not_known_are_few_beside_those_that_are() -> None:
    text = """
import torch
import package
rounds, model = [], package.Net()
for name, p in model.named_parameters():
    rounds += [name]
model(torch.ones(3)).sum().backward()
"""
    rounds = bound(text, "rounds")
    assert isinstance(rounds, Items)
    assert len(rounds.items) <= 3

"""Loops go on until the rounds come that a condition in them waits for."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, faults, kinds

WINDOW = """
def train(model, optimizer, loader, options):
    {start}
    for step, (x, y) in enumerate(loader):
        {each}
        loss = nn.functional.mse_loss(model(x), y) / {length}
        loss.backward()
        {end}

{made}
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn({size}, 3), torch.randn({size}, 1))
loader = torch.utils.data.DataLoader(data, batch_size=1)
for epoch in range(3):
    train(model, optimizer, loader, options)
"""
END = "if (step + 1) % {length} == 0:\n            optimizer.step()"
PARSED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--window", type=int, default={default})
options = parser.parse_args()
"""
EVERY = {"start": "pass", "each": "optimizer.zero_grad()", "size": 24}
ONCE = {"start": "optimizer.zero_grad()", "each": "pass"}


@pytest.mark.parametrize("length", [2, 4, 8])
def test_a_window_of_known_length_comes_to_its_end(length: int) -> None:
    text = WINDOW.format(length=length, made="options = None", end=END, **EVERY)
    assert kinds(text.format(length=length)) == ["zero-grad-before-step"]


@pytest.mark.parametrize("default", [1, 4, 64])
def test_a_window_that_an_option_tells_comes_to_its_end(default: int) -> None:
    made = PARSED.format(default=default)
    text = WINDOW.format(length="options.window", made=made, end=END, **EVERY)
    assert kinds(text.format(length="options.window")) == ["zero-grad-before-step"]


@pytest.mark.parametrize("size", [24, 640])
def test_gradients_of_a_loop_that_was_not_seen_to_its_end_are_not_lost(size: int) -> None:
    end = END + "\n            optimizer.zero_grad()"
    text = WINDOW.format(length=4, made="options = None", end=end, size=size, **ONCE)
    assert kinds(text.format(length=4)) == []


def test_the_end_of_a_window_may_have_a_name() -> None:
    end = "ends = (step + 1) % 4 == 0\n        if ends:\n            optimizer.step()"
    text = WINDOW.format(length=4, made="options = None", end=end, **EVERY)
    assert kinds(text) == ["zero-grad-before-step"]


def test_the_round_in_which_a_part_is_frozen_is_reached() -> None:
    text = """
model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(9):
    if epoch == 5:
        model[0].requires_grad_(False)
    for x in torch.ones(100, 2, 3):
        optimizer.zero_grad(set_to_none=False)
        model(x).sum().backward()
        optimizer.step()
"""
    assert kinds(text) == ["frozen-parameter-moves"]


def test_the_last_round_comes_after_those_that_are_waited_for() -> None:
    text = """
def train(model, optimizer, loader):
    for step, x in enumerate(loader):
        (model(x).mean() / 4).backward()
        if (step + 1) % 4 == 0 or step + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
"""
    assert faults(text) == []


FROZEN = """
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
count = 0
for epoch in {epochs}:
    for x in torch.randn(100, 2, 4):
        optimizer.zero_grad(set_to_none=False)
        model(x).mean().backward()
        optimizer.step()
        count += 1
    {when}:
        model[0].requires_grad_(False)
"""


@pytest.mark.parametrize(
    ("epochs", "when", "told"),
    [
        ("range(100)", "if epoch == 50", True),
        ("range(100)", "if epoch + 1 >= 50", True),
        ("range(int(input()))", "if epoch > 50", True),
        ("range(100)", "if count > 5_000", True),
        ("range(100)", "if not epoch < 50", True),
        ("range(5)", "if epoch > 100", False),
        ("range(100)", "if epoch < -50", False),
    ],
)
def test_a_loop_skips_to_a_round_that_is_far(epochs: str, when: str, told: bool) -> None:
    found = kinds(FROZEN.format(epochs=epochs, when=when))
    assert found == ["frozen-parameter-moves"] * told


def test_a_number_that_does_not_grow_is_no_counter() -> None:
    assert kinds("width = 32" + FROZEN.format(epochs="range(100)", when="if width > 50")) == []


def test_two_far_rounds_come_one_after_the_other() -> None:
    text = """
w = torch.ones(2, requires_grad=True)
for epoch in range(1_000):
    if epoch == 100:
        kept = w * 2
    if epoch == 200:
        (kept * kept).sum().backward()
        (kept * kept).sum().backward()
"""
    assert "graph-freed" in kinds(text)


CALLBACKS = """
class Validation:
    def __init__(self, loader, every):
        self.loader, self.every = loader, every

    def stepped(self, engine):
        if engine.steps % self.every == 0:
            engine.evaluate(self.loader)

class Engine:
    def __init__(self, model, callbacks):
        self.model, self.callbacks, self.steps = model, callbacks, 0
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        return sum(self.model(x).sum().item() for x, y in loader)

    def fit(self, loader):
        for epoch in range(2):
            self.model.train()
            for x, y in loader:
                self.optimizer.zero_grad()
                (self.model(x) - y).square().mean().backward()
                self.optimizer.step()
                self.steps += 1
                for callback in self.callbacks:
                    callback.stepped(self)

model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.Linear(3, 1))
training, held_out = torch.load("training.pt"), torch.load("held_out.pt")
Engine(model, [Validation(held_out, {every})]).fit(training)
"""


@pytest.mark.parametrize("every", [3, 5])
def test_what_a_callback_waits_for_is_a_round_of_the_loop_around_the_callbacks(every: int) -> None:
    found = analyse(Source("a.py", HEAD + CALLBACKS.format(every=every)))
    assert [one.kind.value for one in found] == ["left-in-evaluation"]


REPLAY = """
from collections import deque

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

class Replay:
    def __init__(self):
        self.memory = deque(maxlen=10_000)

    def learn(self, size=64):
        if len(self.memory) < size:
            return
        kept = model(torch.stack(list(self.memory))).exp()
        kept.mul_(2)
        optimizer.zero_grad()
        kept.sum().backward()
        optimizer.step()

replay = Replay()
for episode in range(100):
    done = False
    while not done:
        replay.memory.append(torch.randn(4))
        replay.learn()
        done = input() == "end"
"""


def test_a_list_that_a_loop_adds_to_becomes_as_long_as_is_waited_for() -> None:
    assert kinds(REPLAY) == ["saved-tensor-modified"]


def test_a_list_that_nothing_adds_to_stays_as_long_as_it_is() -> None:
    assert kinds(REPLAY.replace("replay.memory.append(torch.randn(4))", "pass")) == []

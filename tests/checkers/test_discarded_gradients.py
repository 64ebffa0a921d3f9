"""Gradients that are cleared in each iteration, though a step comes only now and then."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import kinds

LOOP = """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    {before}
    model(torch.ones(2, 3)).mean().div(4).backward()
    {after}
"""
STEP = "if (step + 1) % 4 == 0:\n        optimizer.step()"


def test_clearing_in_each_iteration_of_several_for_one_step_is_told() -> None:
    text = LOOP.format(before="optimizer.zero_grad()", after=STEP)
    assert kinds(text) == ["zero-grad-before-step"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pass", STEP + "\n        optimizer.zero_grad()"),
        ("if step % 4 == 0:\n        optimizer.zero_grad()", STEP),
        ("optimizer.zero_grad()", "optimizer.step()"),
        ("optimizer.zero_grad()", "if model.weight.grad.norm() < 9:\n        optimizer.step()"),
    ],
)
def test_gradients_that_are_used_or_left_out_for_what_they_are_are_not_told(
    before: str, after: str
) -> None:
    assert kinds(LOOP.format(before=before, after=after)) == []


def test_gradients_that_a_loss_gives_another_network_may_be_cleared() -> None:
    text = """
maker, judge = nn.Linear(2, 4), nn.Linear(4, 1)
make, rate = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
for _ in range(4):
    made = maker(torch.randn(8, 2))
    rate.zero_grad()
    (judge(torch.randn(8, 4)) + judge(made.detach())).mean().backward()
    rate.step()
    make.zero_grad()
    judge(made).mean().backward()
    make.step()
"""
    assert kinds(text) == []


BETWEEN = """
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(2)).mean().backward()
    {between}
    optimizer.zero_grad()
    net(torch.zeros(2)).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("between", "lost"),
    [("pass", True), ("norm = net.weight.grad.norm()", False), ("optimizer.step()", False)],
)
def test_a_loss_whose_gradients_nothing_uses_was_computed_in_vain(between: str, lost: bool) -> None:
    assert ("zero-grad-before-step" in kinds(BETWEEN.format(between=between))) is lost


FORWARD = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x, targets=None):
        found = self.layer(x)
        if targets is not None:
            {asked}
        return found.mean()
"""
TRAINING = """
import torch
from net import Net

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for window in range(3):
    for x, y in load():
        optimizer.zero_grad()
        model(x, y).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("asked", "told"), [("found = found - targets", True), ("raise E", False)])
def test_a_condition_of_a_layer_on_which_no_step_hangs_does_not_matter(
    tmp_path: Path, asked: str, told: bool
) -> None:
    write_tree(tmp_path, {"net.py": FORWARD.format(asked=asked), "train.py": TRAINING})
    found = analyse(Source(str(tmp_path / "train.py"), TRAINING), Project([tmp_path]))
    assert [fault.kind for fault in found] == [Pitfall.ZERO_GRAD_BEFORE_STEP] * told


UNKNOWN = """
class Importance:
    def __init__(self, model, rate):
        self.model, self.rate = model, rate
        self.names = [name for name, _ in self.model.body.named_parameters()]

    def train(self, loader):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=self.rate)
        for inputs, targets in loader:
            outputs = self.model(inputs)
            optimizer.zero_grad()
            nn.functional.cross_entropy(outputs, targets).backward(retain_graph=True)
            {reading}
            optimizer.zero_grad()
            nn.functional.cross_entropy(outputs, targets).backward()
            optimizer.step()
"""


def test_what_is_read_of_a_part_of_an_unknown_module_may_be_of_any_of_its_parameters() -> None:
    reading = "found = [one.grad.square() for one in self.model.body.parameters()]"
    assert kinds(UNKNOWN.format(reading="pass")) == ["zero-grad-before-step"]
    assert kinds(UNKNOWN.format(reading=reading)) == []


ATTACK = """
def fgsm(model, x, y):
    {leaf}
    F.cross_entropy(model(x), y).backward()
    return (x + 0.03 * x.grad.sign()).detach()

def train(model, optimizer, loader):
    for x, y in loader:
        x = fgsm(model, x, y)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    "leaf",
    [
        "x.requires_grad = True",
        "x = x.requires_grad_()",
        "x = x.clone().requires_grad_(True)",
        "x = x.clone().detach().requires_grad_(True)",
        "x = x.clone()\n    x.requires_grad = True",
        "x = x.cuda()\n    x.requires_grad_()",
    ],
)
def test_a_backward_for_the_gradient_of_data_that_a_loader_gives_is_not_in_vain(leaf: str) -> None:
    assert kinds("import torch.nn.functional as F\n" + ATTACK.format(leaf=leaf)) == []

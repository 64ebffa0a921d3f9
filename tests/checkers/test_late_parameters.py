"""Parameters that a module gets after its optimizer was made."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import rows

# A part of the module is unknown, so the optimizer may have more than what is known; it can be a
# parameter of the program only if the part was given it.
REPLACED = """
import torch
from torch import nn
from elsewhere import Body

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        return self.head(x)

net = Net()
{before}
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net.head = {head}
{after}
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(5, 3)).sum().backward()
    opt.step()
"""


def _told(before: str = "", head: str = "nn.Linear(3, 4)", after: str = "") -> list[int]:
    text = REPLACED.format(before=before, head=head, after=after)
    return rows(text, Pitfall.NOT_OPTIMIZED, head="")


def test_a_layer_made_after_the_optimizer_is_not_among_what_that_was_given() -> None:
    assert _told() == [18]


@pytest.mark.parametrize(
    "mended",
    [
        {"before": "new = nn.Linear(3, 4)\nnet.body = Body(new)", "head": "new"},
        {"after": "opt.add_param_group({'params': net.head.parameters()})"},
        {"after": "opt.add_param_group({'params': Body.more(net)})"},
    ],
    ids=["given to the part before it", "added to it", "perhaps added to it"],
)
def test_a_layer_that_the_optimizer_may_have_is_not_told(mended: dict[str, str]) -> None:
    assert _told(**mended) == []


def test_an_optimizer_of_an_earlier_training_does_not_need_what_a_new_one_begins_with() -> None:
    text = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.build()

    def build(self):
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        return self.head(x)

    def fit(self, batches):
        self.build()
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        for batch in batches:
            optimizer.zero_grad()
            self.forward(batch).sum().backward()
            optimizer.step()

net = Net()
net.fit([torch.randn(5, 3)])
net.build()
net(torch.randn(5, 3)).sum().backward()
"""
    assert rows(text, Pitfall.NOT_OPTIMIZED, head="") == []


PERCEPTUAL = """
import torch, torchvision
from torch import nn

class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.features = None

    def measure(self, x):
        if self.features is None:
            features = {made}
            self.features = features
        return self.features(self.body(x)).mean()

    def save(self):
        features = self.features
        del self.features
        torch.save(self.state_dict(), "coder.pt")
        self.features = features

coder = Coder()
{first}
opt = torch.optim.SGD(coder.parameters(), lr=0.1)
for x in torch.ones(4, 2, 3):
    opt.zero_grad()
    coder.measure(x).backward()
    opt.step()
    {then}
"""
LOADED = "torchvision.models.alexnet(pretrained=True)"


@pytest.mark.parametrize(("made", "weights"), [("nn.Linear(3, 3)", [0]), (LOADED, [2])])
def test_a_network_with_loaded_weights_is_rather_not_to_be_trained(
    made: str, weights: list[int]
) -> None:
    text = PERCEPTUAL.format(made=made, first="", then="")
    assert _weights(text) == weights


FINE_TUNED = """
import torch
import torchvision
from torch import nn

def main():
    model = torchvision.models.resnet18(weights="DEFAULT")
    {first}
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    {then}
    for x in torch.ones(4, 2, 3, 64, 64):
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()

main()
"""


def test_a_layer_that_is_drawn_anew_in_a_network_with_loaded_weights_is_to_be_trained() -> None:
    head = "model.fc = nn.Linear(512, 2)"
    assert _weights(FINE_TUNED.format(first="pass", then=head)) == [0]
    assert _weights(FINE_TUNED.format(first=head, then="pass")) == []


def test_a_module_that_is_put_back_is_no_new_one() -> None:
    first = "coder.measure(torch.ones(2, 3))"
    text = PERCEPTUAL.format(made="nn.Linear(3, 3)", first=first, then="coder.save()")
    assert _weights(text) == []


def _weights(text: str) -> list[int]:
    """How much is assumed of what is told."""
    found = analyse(Source("program.py", text))
    return [one.weight for one in found if one.kind is Pitfall.NOT_OPTIMIZED]

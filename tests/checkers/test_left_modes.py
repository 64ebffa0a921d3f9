"""Modules that are trained on in evaluation mode."""

import pytest

from tests.vm.running import kinds

TEXT = """
net = nn.Sequential(nn.Linear(2, 2), {layer})
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def validate():
    net.eval()
    with torch.no_grad():
        net(torch.ones(4, 2))
{after}

def fit():
    net.train()
    for epoch in range(3):
{before}
        loss = net(torch.ones(4, 2)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        validate()

fit()
"""


def text(layer: str = "nn.Dropout(0.5)", before: str = "pass", after: str = "pass") -> str:
    """A program that validates after each epoch."""
    return TEXT.format(layer=layer, before=f"        {before}", after=f"    {after}")


@pytest.mark.parametrize("layer", ["nn.Dropout(0.5)", "nn.BatchNorm1d(2)"])
def test_a_validation_leaves_its_mode_to_the_next_epoch(layer: str) -> None:
    assert kinds(text(layer)) == ["left-in-evaluation"]


@pytest.mark.parametrize("where", ["before", "after"])
def test_training_mode_may_be_set_before_an_epoch_or_after_a_validation(where: str) -> None:
    assert kinds(text(**{where: "net.train()"})) == []


@pytest.mark.parametrize(("method", "told"), [("train", []), ("tell", ["left-in-evaluation"])])
def test_a_module_whose_train_is_replaced_is_meant_to_stay(method: str, told: list[str]) -> None:
    assert kinds(text(after=f"net[1].{method} = lambda mode=True: net")) == told


def test_a_mode_that_no_layer_asks_for_does_not_matter() -> None:
    assert kinds(text("nn.Tanh()")) == []


def test_a_mode_that_is_set_for_training_is_meant() -> None:
    without = text().replace("        validate()", "        net.eval()")
    assert kinds(without) == []


def test_a_validation_that_is_not_followed_to_its_end_may_set_training_mode() -> None:
    long = "\n    ".join(["x = 1"] * 40_000)
    assert kinds(text(after=f"{long}\n    net.train()")) == []


PROBE = """
body = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
head = nn.Sequential({layer}, nn.Linear(2, 1))
model = nn.Sequential(body, head)
body.eval()
for parameter in body.parameters():
    parameter.requires_grad = {flag}
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(3):
    {mode}.train()
    body.eval()
    loss = model(torch.ones(4, 2)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        model(torch.ones(4, 2))
"""


@pytest.mark.parametrize("layer", ["nn.Dropout(0.5)", "nn.Tanh()"])
def test_what_is_trained_may_be_put_back_alone(layer: str) -> None:
    assert kinds(PROBE.format(layer=layer, mode="head", flag=False)) == []


COPIED = """
import copy
{source}

def trained(net):
    {mode}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
    return net.state_dict()

def validate(net):
    net.eval()
    with torch.no_grad():
        for x in batches:
            net(x)

net = build()
for epoch in range(3):
    net.load_state_dict(trained(copy.deepcopy(net)))
    validate(net)
"""
KNOWN = """
batches = [torch.ones(4, 2)] * 3

def build():
    return nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
"""


@pytest.mark.parametrize("source", [KNOWN, "from models import batches, build"])
def test_a_copy_is_trained_in_the_mode_of_its_original(source: str) -> None:
    assert kinds(COPIED.format(source=source, mode="pass")) == ["left-in-evaluation"]
    assert kinds(COPIED.format(source=source, mode="net.train()")) == []

"""What an argument is handed to tells what it is."""

import pytest

from tests.vm.running import kinds

TRAIN = """
def train(model, data, optimizer, scaler):
    for x, y in data:
        optimizer.zero_grad()
        scaler.scale(model(x).mean()).backward()
        {before}
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
"""
FIT = """
def fit(net, loaders, opt, scaler):
    for epoch in range(10):
        train(net, loaders[0], opt, scaler=scaler)
"""
THROUGH_A_METHOD = """
class Runner:
    def fit(self, net, loaders, opt, scaler):
        self.epoch(net, loaders[0], opt, scaler)
    def epoch(self, net, data, opt, scaler):
        train(net, data, opt, scaler)
"""
OF_AN_OBJECT = """
class Runner:
    def __init__(self, net, opt, scaler):
        self.net, self.opt, self.scaler = net, opt, scaler
    def fit(self, data):
        train(self.net, data, self.opt, self.scaler)
"""


@pytest.mark.parametrize("caller", [FIT, THROUGH_A_METHOD, OF_AN_OBJECT])
def test_who_hands_on_a_model_and_its_optimizer_is_given_them(caller: str) -> None:
    good = TRAIN.format(before="scaler.unscale_(optimizer)")
    assert kinds(TRAIN.format(before="pass") + caller) == ["scaled-gradients"]
    assert kinds(good + caller) == []


HELPED = """
def compute_loss(params, net, batch):
    output = net(batch["x"])
    return output.mean(), {{"kept": {kept}}}

def train(params, model, optimizer, data):
    {asked}
    total = {{}}
    for batch in data:
        loss, info = compute_loss(params, model, batch)
        for name, value in info.items():
            total[name] = total.get(name, 0) + value
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("asked", ["pass", "model.train()"])
def test_who_steps_for_what_another_function_calls_is_given_a_model(asked: str) -> None:
    assert kinds(HELPED.format(asked=asked, kept="output.std()")) == ["graph-kept"]
    assert kinds(HELPED.format(asked=asked, kept="output.std().item()")) == []

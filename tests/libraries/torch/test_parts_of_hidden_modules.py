"""What a program puts into a module of an unknown class: a new head on a pretrained model."""

import pytest

from tests.vm.running import certain, kinds

BEGIN = """
from zoo import resnet18

model = resnet18()
"""
TRAIN = """
for x, y in batches:
    {}
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
FREEZE = "for p in model.parameters():\n    p.requires_grad = False\n"
HEAD = "model.fc = nn.Linear(512, 2)\n"
CLEAR = TRAIN.format("optimizer.zero_grad()")


def optimizer(of: str) -> str:
    return f"optimizer = torch.optim.SGD({of}.parameters(), lr=0.1)\n"


@pytest.mark.parametrize("put", ["model.fc", "model.layers[3]", "model.top.head"])
def test_a_head_that_the_optimizer_was_made_before(put: str) -> None:
    head = f"{put} = nn.Linear(512, 2)\n"
    assert kinds(BEGIN + optimizer("model") + head + CLEAR) == ["not-optimized"]
    assert kinds(BEGIN + head + optimizer("model") + CLEAR) == []


def test_a_head_that_an_optimizer_was_told_of() -> None:
    told = "optimizer.add_param_group({'params': model.fc.parameters()})\n"
    assert kinds(BEGIN + optimizer("model") + HEAD + told + CLEAR) == []


def test_a_head_on_a_frozen_model_is_trained() -> None:
    begin = BEGIN + FREEZE + HEAD + optimizer("model.fc")
    assert kinds(begin + TRAIN.format("pass")) == ["missing-zero-grad"]
    assert certain(begin + TRAIN.format("pass")) == []
    assert kinds(begin + TRAIN.format("model.zero_grad()")) == []


STEPPED = """
import zoo

def train(net: nn.Module, x):
    weight = zoo.Weight(torch.zeros(1))
    optimizer = torch.optim.Adam(weight.parameters())
    scale = weight({given}).exp().mean()
    loss = scale * net(x).mean()
    optimizer.zero_grad()
    (-scale).backward(retain_graph=True)
    optimizer.step()
    loss.backward()
"""


def test_a_module_called_with_nothing_may_hand_over_its_parameter_as_it_is() -> None:
    assert kinds(STEPPED.format(given="")) == []
    assert kinds(STEPPED.format(given="x")) == ["saved-tensor-modified"]

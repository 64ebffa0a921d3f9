"""What is computed for batch after batch in evaluation, with the graphs of all of them."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from tests.vm.running import faults, kinds

VALIDATE = """
def validate(net, data, measure, y):
    net.{mode}()
    total, outs = 0, []
    for x, y in data:
        out = net(x)
        {taken}
    return total, outs
"""


def kept(text: str) -> bool:
    return any(fault.kind is Pitfall.GRAPH_KEPT for fault in faults(text))


@pytest.mark.parametrize(
    ("taken", "grows"),
    [
        ("total += measure(out, y)", True),
        ("total = total + torch.nn.functional.mse_loss(out, y)", True),
        ("outs.append(out)", True),
        ("total += measure(out, y).item()", False),
        ("total += (out.argmax(1) == y).sum()", False),
        ("outs.append(out.detach())", False),
    ],
)
def test_an_evaluation_keeps_graphs(taken: str, grows: bool) -> None:
    assert kept(VALIDATE.format(mode="eval", taken=taken)) is grows


def test_without_gradients_nothing_is_kept() -> None:
    text = VALIDATE.format(mode="eval", taken="outs.append(out)")
    assert not kept(text.replace("def", "@torch.no_grad()\ndef"))
    assert not kept(text.replace("for x", "torch.set_grad_enabled(False)\n    for x"))


def test_what_the_caller_does_with_grad_mode_is_assumed() -> None:
    text = VALIDATE.format(mode="eval", taken="outs.append(out)")
    (fault,) = [one for one in faults(text) if one.kind is Pitfall.GRAPH_KEPT]
    assert "`validate` evaluates with grad mode on" in {worded(why) for why in fault.assumptions}


def test_training_mode_may_train() -> None:
    assert not kept(VALIDATE.format(mode="train", taken="outs.append(out)"))


def test_a_rollout_goes_on_with_the_same_batch() -> None:
    text = VALIDATE.replace("net(x)", "y = net(y)")
    assert not kept(text.format(mode="eval", taken="outs.append(out)").replace("x, y", "_"))


PERCEPTUAL = """
def distance(net, layers, a, b):
    net.eval()
    loss = 0
    for layer in layers:
        loss += torch.nn.functional.l1_loss(net(a, layer), net(b, layer))
    return loss
"""


def test_features_of_one_image_may_be_a_loss() -> None:
    assert not kept(PERCEPTUAL)


BOTH = """
def fit(model, batches, others):
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        model.train()
        for x, y in batches:
            optimizer.zero_grad()
            ((model(x) - y) ** 2).mean().backward()
            optimizer.step()
        model.{mode}()
        total = 0
        for x, y in others:
            total += ((model(x) - y) ** 2).mean(){taken}
        print(total)
"""


def test_an_evaluation_in_the_function_that_trains() -> None:
    assert kinds(BOTH.format(mode="eval", taken="")) == ["graph-kept"]
    evaluated = kinds(BOTH.format(mode="eval", taken=".item()"))
    assert evaluated == ["evaluation-builds-graphs"]
    assert kinds(BOTH.format(mode="train", taken="")) == []


RESIDUAL = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, inputs):
        result = inputs
        result = self.layer(result)
        return inputs + result

first, blocks = nn.Linear(3, 3), [Block(), Block(), Block()]
nn.init.uniform_(first.weight)

def main():
    result = first(torch.ones(1, 3))
    for block in blocks:
        result = block(result)
    print(result.shape)

main()
"""


def test_residual_blocks_add_up_no_batches() -> None:
    assert not kept(RESIDUAL)

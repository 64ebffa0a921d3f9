"""Frameworks that run a part of the training step."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import kinds

SUM = """
{imports}
def main(net, data, opt):
    acc = {made}
    net, opt = acc.{prepare}(net, opt)
    data = acc.{loaders}(data)
    total = 0
    for x, y in data:
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        acc.backward(loss)
        opt.step()
        total += loss{taken}
    print(total)
"""
ACCELERATE = {
    "imports": "from accelerate import Accelerator",
    "made": "Accelerator()",
    "prepare": "prepare",
    "loaders": "prepare",
}
FABRIC = {
    "imports": "from lightning.fabric import Fabric",
    "made": "Fabric(accelerator='cpu')",
    "prepare": "setup",
    "loaders": "setup_dataloaders",
}
UNKNOWN = """
w = torch.ones(3, requires_grad=True)
losses = []
for _ in range(3):
    loss = (w**2).sum()
    framework.backward({root})
    losses.append(loss{taken})
"""


@pytest.mark.parametrize("framework", [ACCELERATE, FABRIC])
def test_what_a_framework_differentiates_is_not_kept(framework: dict[str, str]) -> None:
    assert kinds(SUM.format(taken="", **framework)) == [Pitfall.GRAPH_KEPT.value]
    assert kinds(SUM.format(taken=".item()", **framework)) == []


def test_an_unknown_framework_differentiates_what_it_is_given() -> None:
    assert kinds(UNKNOWN.format(root="loss", taken="")) == [Pitfall.GRAPH_KEPT.value]
    assert kinds(UNKNOWN.format(root="loss", taken=".detach()")) == []


def test_what_has_no_graph_is_handed_to_something_else() -> None:
    assert kinds(UNKNOWN.format(root="loss.detach()", taken=".detach()")) == []


def test_what_has_more_than_one_element_is_no_loss_but_a_gradient() -> None:
    text = "import kernels\nout = kernels.run(3)\n{root} = torch.ones(3, requires_grad=True) * 2\n"
    assert kinds(text.format(root="grad") + "out.backward(grad)\n") == []


PREPARED = """
from accelerate import Accelerator

def train(model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.Adam(model.parameters())
    part = {part}
    for batch in loader:
        loss = model(batch, part)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
"""


def test_what_is_prepared_is_no_tensor_whose_graph_could_be_freed() -> None:
    assert kinds(PREPARED.format(part="model.encode(torch.ones(2))")) == ["graph-freed"]
    assert kinds(PREPARED.format(part="accelerator.prepare(model.get_part(1))")) == []


CLIPPED = """
from accelerate import Accelerator
acc, net = Accelerator(), nn.Linear(4, 4)
net, opt = acc.prepare(net, torch.optim.SGD(net.parameters(), lr=0.1))
for _ in range(3):
    loss = net(torch.ones(1, 4)).sum()
    opt.zero_grad()
    {steps}
"""


@pytest.mark.parametrize("clip", ["clip_grad_norm_", "clip_grad_value_"])
def test_what_accelerate_clips_has_to_be_there(clip: str) -> None:
    clipped = f"acc.{clip}(net.parameters(), 1.0)"
    early = CLIPPED.format(steps=f"{clipped}; acc.backward(loss); opt.step()")
    assert kinds(early) == [Pitfall.CLIP_IN_VAIN.value]
    assert kinds(CLIPPED.format(steps=f"acc.backward(loss); {clipped}; opt.step()")) == []

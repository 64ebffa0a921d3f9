"""Modules that are put into evaluation mode before they are trained."""

import pytest

from tests.vm.running import kinds

TEXT = """
net = nn.Sequential(nn.Linear(2, 2), {layer})
optimizer = torch.optim.SGD({given}, lr=0.1)
net.eval()
for epoch in range(3):
    {mode}
    optimizer.zero_grad()
    net(torch.ones(4, 2)).sum().backward()
    optimizer.step()
"""


def found(layer: str = "nn.Dropout()", given: str = "net.parameters()", mode: str = "pass") -> bool:
    """Whether it is told of a module with that layer."""
    return "left-in-evaluation" in kinds(TEXT.format(layer=layer, given=given, mode=mode))


@pytest.mark.parametrize("layer", ["nn.Dropout(0.1)", "nn.BatchNorm1d(2)"])
def test_a_module_that_is_trained_in_evaluation_mode_alone_is_told(layer: str) -> None:
    assert found(layer)


def test_a_module_of_which_only_a_part_is_trained_may_be_meant() -> None:
    assert not found(layer="nn.BatchNorm1d(2)", given="net[0].parameters()")


def test_a_module_that_does_not_depend_on_its_mode_is_quiet() -> None:
    assert not found(layer="nn.ReLU()")


def test_a_module_that_is_put_into_training_mode_is_quiet() -> None:
    assert not found(mode="net.train()")


FROZEN = """
def made():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    for leaf in net.parameters():
        leaf.requires_grad = {flag}
    return net.eval()
net = made()
mask = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.SGD([mask, *net.parameters()], lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    net(torch.ones(4, 2) * mask).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("flag", [True, False])
def test_a_frozen_module_is_quiet_though_the_optimizer_has_its_parameters(flag: bool) -> None:
    assert ("left-in-evaluation" in kinds(FROZEN.format(flag=flag))) is flag


LAYERS = """
net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 2)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for part in net.modules():
    if isinstance(part, {kind}):
        part.eval()
for epoch in range(3):
    optimizer.zero_grad()
    net(torch.ones(4, 2)).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("kind", "told"), [("nn.BatchNorm1d", False), ("nn.Sequential", True)])
def test_batch_normalization_alone_may_keep_its_averages(kind: str, told: bool) -> None:
    assert ("left-in-evaluation" in kinds(LAYERS.format(kind=kind))) is told


KEPT = """
def keep(mode=True):
    return None

net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.eval()
{replaced} = keep
for epoch in range(3):
    optimizer.zero_grad()
    net(torch.ones(4, 2)).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("replaced", "told"),
    [("net.train", False), ("net[1].train", False), ("net[1].tell", True)],
)
def test_a_module_whose_train_is_replaced_is_meant_to_stay(replaced: str, told: bool) -> None:
    assert ("left-in-evaluation" in kinds(KEPT.format(replaced=replaced))) is told

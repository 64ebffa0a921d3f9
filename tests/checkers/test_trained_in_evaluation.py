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

"""Frozen parameters that are switched on after the optimizer was made without them."""

import pytest

from tests.vm.running import kinds

TEXT = """
backbone, head = nn.Linear(2, 2), nn.Linear(2, 1)
backbone.requires_grad_(False)
optimizer = torch.optim.SGD({given}, lr=0.1)
for epoch in range(3):
    if epoch == 1:
        backbone.requires_grad_(True)
        {after}
    loss = head(backbone(torch.ones(1, 2))).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_parameters_that_no_optimizer_has_are_told() -> None:
    assert kinds(TEXT.format(given="head.parameters()", after="pass")) == ["no-optimizer"]


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("[*backbone.parameters(), *head.parameters()]", "pass"),
        ("head.parameters()", "optimizer.add_param_group({'params': backbone.parameters()})"),
        ("head.parameters()", "backbone.requires_grad_(False)"),
    ],
)
def test_parameters_that_an_optimizer_gets_are_quiet(given: str, after: str) -> None:
    assert kinds(TEXT.format(given=given, after=after)) == []

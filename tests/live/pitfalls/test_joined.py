"""Parameters that come to an optimizer with gradients of its earlier steps."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a backbone": """
head = torch.nn.Linear(1, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(2):
    for _ in range(3):
        (head(net(x)) - y).square().mean().backward()  # here
        opt.step()
        opt.zero_grad()
    if epoch == 0:
        opt.add_param_group({"params": net.parameters()})
""",
}

RIGHT = {
    "the whole model is cleared": """
head = torch.nn.Linear(1, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(2):
    for _ in range(3):
        (head(net(x)) - y).square().mean().backward()
        opt.step()
        head.zero_grad()
        net.zero_grad()
    if epoch == 0:
        opt.add_param_group({"params": net.parameters()})
""",
    "frozen until then": """
head = torch.nn.Linear(1, 1)
net.requires_grad_(False)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(2):
    for _ in range(3):
        fit((head(net(x)) - y).square().mean())
    if epoch == 0:
        net.requires_grad_(True)
        opt.add_param_group({"params": net.parameters()})
""",
    "cleared once, by the optimizer that has it": """
head = torch.nn.Linear(1, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(2):
    for _ in range(3):
        fit((head(net(x)) - y).square().mean())
    if epoch == 0:
        opt.add_param_group({"params": net.parameters()})
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_has_piled_up_by_then_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("gradients-pile-up", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_cleared_or_frozen_until_then_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

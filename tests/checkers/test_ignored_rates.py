"""Updates of a copy that are given a rate, and do not use it."""

import pytest

from tests.vm.running import kinds

TEXT = """
import copy

def update(online, target, tau):
    for p, t in zip(online.parameters(), target.parameters()):
        {update}

online = nn.Linear(2, 1)
target = copy.deepcopy(online)
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for _ in range(3):
    loss = nn.functional.mse_loss(online(torch.ones(2, 2)), 1 + target(torch.ones(2, 2)).detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update(online, target, {given})
"""


@pytest.mark.parametrize("update", ["t.data.copy_(p.data)", "t.data = 0.5 * p.data + 0.5 * t.data"])
def test_a_rate_that_is_not_read_is_told(update: str) -> None:
    assert kinds(TEXT.format(update=update, given="0.01")) == ["rate-ignored"]


def test_a_rate_that_is_read_is_quiet() -> None:
    update = "t.data.copy_(tau * p.data + (1 - tau) * t.data)"
    assert kinds(TEXT.format(update=update, given="0.01")) == []


@pytest.mark.parametrize("given", ["None", "1.0", "'hard'"])
def test_what_is_no_rate_need_not_be_read(given: str) -> None:
    assert kinds(TEXT.format(update="t.data.copy_(p.data)", given=given)) == []

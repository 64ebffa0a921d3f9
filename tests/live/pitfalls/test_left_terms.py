"""Terms that are added to a loss, and backward begins without them."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a penalty that is only logged": """
def loss_of(x, y):
    loss = (net(x) - y).square().mean()
    total = loss + 0.1 * net[0].weight.square().sum()  # here
    log.append(total.item())
    return loss
log = []
for _ in range(4):
    fit(loss_of(x, y))
""",
    "the loss of which backward has a part": """
for _ in range(4):
    loss = (net(x) - y).square().mean()
    total = loss + net(x).abs().mean()  # here
    fit(loss / 2)
""",
}

RIGHT = {
    "backward begins at the sum": """
for _ in range(4):
    fit((net(x) - y).square().mean() + 0.1 * net[0].weight.square().sum())
""",
    "a backward for each term": """
for _ in range(4):
    first, second = (net(x) - y).square().mean(), net(x).abs().mean()
    total = (first + second).item()
    opt.zero_grad()
    first.backward()
    second.backward()
    opt.step()
""",
    "a step for each term": """
other = torch.nn.Linear(2, 1)
opt2 = torch.optim.SGD(other.parameters(), lr=0.1)
for _ in range(4):
    first, second = (net(x) - y).square().mean(), other(x).abs().mean()
    total = (first + second).item()
    opt.zero_grad()
    first.backward()
    opt.step()
    opt2.zero_grad()
    second.backward()
    opt2.step()
""",
    "both terms in another sum": """
for _ in range(4):
    first, second = (net(x) - y).square().mean(), net(x).abs().mean()
    bound = (first + second).item()
    fit(first + 0.1 * second)
""",
    "a sum that is made after the step": """
for _ in range(4):
    loss = (net(x) - y).square().mean()
    fit(loss)
    with torch.no_grad():
        total = loss + 0.1 * net[0].weight.square().sum()
""",
    "a term without a graph": """
for _ in range(4):
    loss = (net(x) - y).square().mean()
    total = loss + x.sum()
    fit(loss)
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_what_backward_leaves_out_is_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("loss-left-out", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_what_gets_gradients_is_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []

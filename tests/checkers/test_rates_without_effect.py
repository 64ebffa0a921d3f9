"""Learning rates that are set where no optimizer reads them."""

import pytest

from tests.vm.running import kinds

TOLD = ["rate-without-effect"]
MADE = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{code}
model(torch.ones(2)).sum().backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    "code",
    [
        "optimizer.lr = 0.01",
        'optimizer.defaults["lr"] = 0.01',
        'optimizer.param_groups[0]["LR"] = 1',
    ],
)
def test_an_option_that_no_optimizer_reads_is_told(code: str) -> None:
    assert kinds(MADE.format(code=code)) == TOLD


@pytest.mark.parametrize(
    "code",
    [
        'optimizer.param_groups[0]["lr"] = 0.01',
        "optimizer.lr = 0.01\nprint(optimizer.lr)",
        'optimizer.param_groups[0]["rate"] = 1\nprint(optimizer.param_groups[0]["rate"])',
        'optimizer.defaults["lr"] = 1\noptimizer.add_param_group({"params": [w]})',
    ],
)
def test_what_is_read_again_is_quiet(code: str) -> None:
    assert kinds("w = torch.ones(2, requires_grad=True)" + MADE.format(code=code)) == []

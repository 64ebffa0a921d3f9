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


GROUPS = """
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
parts = [{{"params": part.parameters()}} for part in model]
optimizer = torch.optim.SGD(parts, lr=0.1)
{code}
model(torch.ones(2)).sum().backward()
optimizer.step()
"""


def test_a_rate_of_the_first_of_several_groups_is_told() -> None:
    assert kinds(GROUPS.format(code='optimizer.param_groups[0]["lr"] = 0.01')) == TOLD


@pytest.mark.parametrize(
    "code",
    [
        'for number in range(2):\n    optimizer.param_groups[number]["lr"] = 0.01',
        'optimizer.param_groups[0]["lr"] = 1\noptimizer.param_groups[1]["lr"] = 2',
        "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\nscheduler.step()\n"
        'optimizer.param_groups[0]["lr"] = 1',
        'optimizer.param_groups[1]["lr"] = 1',
    ],
)
def test_rates_of_all_groups_or_of_another_one_are_quiet(code: str) -> None:
    assert TOLD[0] not in kinds(GROUPS.format(code=code))


def test_a_default_is_quiet_where_the_groups_are_given_the_same_option() -> None:
    code = 'for group in optimizer.param_groups:\n    group["{key}"] = 0.01\n'
    code += 'optimizer.defaults["lr"] = 0.01'
    assert kinds(MADE.format(code=code.format(key="lr"))) == []
    assert kinds(MADE.format(code=code.format(key="momentum"))) == TOLD

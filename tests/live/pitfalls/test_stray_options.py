"""Options that are set as an attribute of an optimizer."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

SET = """
for epoch in range(4):
    {set}
    fit((net(x) - y).square().mean())
"""
SETTING = SET.replace("{set}", "opt.lr = 0.1 * 0.5**epoch{mark}")

WRONG = {
    "a rate": SETTING.replace("{mark}", "  # here"),
    "a momentum, once": SET.replace("{set}", "opt.momentum = 0.9  # here"),
}

RIGHT = {
    "the rate of the groups as well": SETTING.replace("{mark}", "")
    + """
    for group in opt.param_groups:
        group["lr"] = 0.1 * 0.5 ** (epoch + 1)
""",
    "read by the program": SETTING.replace("{mark}", "")
    + """
    print(opt.lr)
""",
    "no option": SET.replace("{set}", "opt.epoch = epoch"),
    "an optimizer of the program": """
class Own(torch.optim.SGD):
    def step(self, closure=None):
        for group in self.param_groups:
            group["lr"] = getattr(self, "lr")
        return super().step(closure)
opt = Own(net.parameters(), lr=0.1)
"""
    + SETTING.replace("{mark}", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_options_that_no_group_has_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("rate-without-effect", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_options_that_are_read_and_other_attributes_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

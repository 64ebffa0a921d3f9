"""States of which nothing is loaded."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

START = """
import copy
{state}
"""
FIT = """
for _ in range(3):
    fit((net(x) - y).square().mean())
"""
WRAPPED = START.replace("{state}", "state = torch.nn.DataParallel(copy.deepcopy(net)).state_dict()")
OWN = "{name.removeprefix('module.'): one for name, one in state.items()}"

WRONG = {
    "a prefix too much": WRAPPED + "net.load_state_dict(state, strict=False)  # here" + FIT,
    "a prefix of several parts": WRAPPED
    + "state = {f'model.{name}': one for name, one in state.items()}\n"
    + "net.load_state_dict(state, strict=False)  # here"
    + FIT,
    "a prefix that is missing": """
state = {name: one.clone() for name, one in net.state_dict().items()}
class Whole(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(*net)
    def forward(self, x):
        return self.body(x)
net = Whole()
net.load_state_dict(state, strict=False)  # here
"""
    + FIT,
    "nothing is trained": WRAPPED + "net.load_state_dict(state, strict=False)  # here",
}

RIGHT = {
    "without the prefix": WRAPPED + f"net.load_state_dict({OWN}, strict=False)" + FIT,
    "a second attempt": WRAPPED
    + "net.load_state_dict(state, strict=False)\n"
    + f"net.load_state_dict({OWN}, strict=False)"
    + FIT,
    "another module takes it": WRAPPED
    + "net.load_state_dict(state, strict=False)\n"
    + "torch.nn.DataParallel(net).load_state_dict(state)"
    + FIT,
    "a part fits": WRAPPED
    + "state['0.weight'] = state['module.0.weight']\n"
    + "net.load_state_dict(state, strict=False)"
    + FIT,
    "a state of something else": WRAPPED
    + "net.load_state_dict({'lora.down': x, 'lora.up': x}, strict=False)"
    + FIT,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_state_that_fits_but_for_a_prefix_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("name-never-matches", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_states_that_are_taken_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

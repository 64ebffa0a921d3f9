"""Options that are set in the state of an optimizer."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a rate for each epoch": """
for epoch in range(3):
    for group in opt.state_dict()["param_groups"]:  # here
        group["lr"] = 0.1 / (epoch + 2)
    fit((net(x) - y).square().mean())
""",
}

RIGHT = {
    "loaded": """
for epoch in range(3):
    state = opt.state_dict()
    for group in state["param_groups"]:
        group["lr"] = 0.1 / (epoch + 2)
    opt.load_state_dict(state)
    fit((net(x) - y).square().mean())
""",
    "the groups themselves": """
for epoch in range(3):
    kept = opt.state_dict()
    for group in opt.param_groups:
        group["lr"] = 0.1 / (epoch + 2)
    fit((net(x) - y).square().mean())
print(kept)
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_options_of_a_state_that_nobody_loads_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("rate-without-effect", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_states_that_are_loaded_or_kept_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

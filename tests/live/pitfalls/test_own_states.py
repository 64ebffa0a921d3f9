"""Modules that load their own state."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

LOOP = """
import copy
target = copy.deepcopy(net)
for _ in range(3):
    with torch.no_grad():
        wanted = 0.9 * target(x)
    loss = (net(x) - wanted).square().mean()
    fit(loss)
"""

WRONG = {
    "its own state": f"{LOOP}    target.load_state_dict(target.state_dict())  # here",
    "over two lines": f"""{LOOP}
    target.load_state_dict(  # here
        target.state_dict()
    )
""",
}

RIGHT = {
    "the state of the trained network": f"{LOOP}    target.load_state_dict(net.state_dict())",
    "a state that was changed": f"""{LOOP}
    state = target.state_dict()
    for name, value in net.state_dict().items():
        state[name].lerp_(value, 0.1)
    target.load_state_dict(state)
""",
    "the trained network itself": f"{LOOP}    net.load_state_dict(net.state_dict())",
    "once": f"{LOOP}target.load_state_dict(target.state_dict())",
}


NAMES = """
class Agent:
    def __init__(self):
        self.online = net
        self.target = {value}{mark}
        self.opt = torch.optim.SGD(self.online.parameters(), lr=0.1)

    def learn(self):
        self.opt.zero_grad()
        (self.online(x) - self.target(x).detach() - y).square().mean().backward()
        self.opt.step()
        self.target.load_state_dict(self.online.state_dict())

agent = Agent()
for _ in range(3):
    agent.learn()
"""


def test_the_statement_that_gives_a_module_two_names_is_told(tmp_path: Path) -> None:
    source = NAMES.format(value="self.online", mark="  # here")
    assert told(source, tmp_path) == here("own-state-loaded", source)


@pytest.mark.parametrize(
    "value", ["__import__('copy').deepcopy(self.online)", "self.online if opt else None"]
)
def test_copies_and_names_by_choice_are_quiet(value: str, tmp_path: Path) -> None:
    assert told(NAMES.format(value=value, mark=""), tmp_path) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_target_that_loads_its_own_state_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("own-state-loaded", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_states_that_change_something_or_nothing_on_purpose_are_quiet(
    name: str, tmp_path: Path
) -> None:
    assert told(RIGHT[name], tmp_path) == []

"""Modules that are given their own state."""

import pytest

from tests.vm.running import kinds

TEXT = """
import copy

class Agent:
    def __init__(self):
        self.online = nn.Linear(2, 1)
        self.target = {target}

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())

agent = Agent()
agent.sync()
agent.online(torch.ones(2)).sum().backward()
"""


def test_a_second_name_is_no_second_module() -> None:
    assert kinds(TEXT.format(target="self.online")) == ["own-state-loaded"]


@pytest.mark.parametrize("target", ["copy.deepcopy(self.online)", "nn.Linear(2, 1)"])
def test_a_copy_and_another_module_are_given_a_state(target: str) -> None:
    assert kinds(TEXT.format(target=target)) == []


def test_a_module_may_be_given_its_own_state_by_its_own_name() -> None:
    text = TEXT.format(target="self.online").replace("self.online.state", "self.target.state")
    assert kinds(text) == []


TRAINED = """
online, target = nn.Linear(2, 1), nn.Linear(2, 1)
optimizer = torch.optim.SGD({trained}.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    {trained}(torch.ones(2)).sum().backward()
    optimizer.step()
    target.load_state_dict({source}.state_dict())
"""


def test_a_target_that_loads_its_own_state_beside_a_training_was_to_load_another() -> None:
    assert kinds(TRAINED.format(trained="online", source="target")) == ["own-state-loaded"]
    assert kinds(TRAINED.format(trained="online", source="online")) == []


def test_what_is_trained_may_load_its_own_state() -> None:
    assert kinds(TRAINED.format(trained="target", source="target")) == []


def test_modules_with_one_parameter_in_common_are_two() -> None:
    text = """
first, second = nn.Linear(2, 2), nn.Linear(2, 2)
second.weight = first.weight
second.load_state_dict(first.state_dict())
first(torch.ones(2)).sum().backward()
"""
    assert kinds(text) == []

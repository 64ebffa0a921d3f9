"""Targets that are the trained network itself."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import kinds

TEXT = """
import copy
import sys

class Agent:
    def __init__(self, network):
        self.online = network
        {binding}
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)

    def learn(self, state):
        with torch.no_grad():
            wanted = 1 + 0.9 * self.target(state)
        loss = nn.functional.mse_loss(self.online(state), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

agent = Agent(nn.Linear(2, 1))
for _ in range(3):
    agent.learn(torch.ones(3, 2))
"""


@pytest.mark.parametrize("value", ["network", "self.online"])
def test_a_target_that_is_the_network_is_told(value: str) -> None:
    assert kinds(TEXT.format(binding=f"self.target = {value}")) == ["own-state-loaded"]


@pytest.mark.parametrize("value", ["copy.deepcopy(network)", "nn.Linear(2, 1)"])
def test_another_module_is_quiet(value: str) -> None:
    assert kinds(TEXT.format(binding=f"self.target = {value}")) == []


def test_another_name_is_one_where_a_copy_is_made_as_well() -> None:
    binding = "self.target = network\n        self.late = copy.deepcopy(network)"
    assert kinds(TEXT.format(binding=binding)) == []


def test_a_choice_may_be_meant() -> None:
    binding = "self.target = network\n        if sys.argv[1:]:\n            self.target = network"
    chosen = binding.replace("self.target = network\n", "pass\n", 1)
    assert kinds(TEXT.format(binding=chosen)) == []
    assert kinds(TEXT.format(binding="self.target = network if sys.argv else None")) == []


def test_a_name_that_an_evaluation_uses_is_no_target() -> None:
    program = """
model = nn.Linear(2, 1)
net = model
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for _ in range(3):
        loss = model(torch.ones(3, 2)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(net(torch.ones(3, 2)).mean().item())
"""
    assert kinds(program) == []


AGENT = """import torch
from torch import nn

class Agent:
    def __init__(self, online, target):
        self.online = online
        self.target = target
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)

    def learn(self, state):
        with torch.no_grad():
            wanted = 1 + 0.9 * self.target(state)
        loss = nn.functional.mse_loss(self.online(state), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""
RUN = """import torch
from agents import Agent
{blank}
network = torch.nn.Linear(2, 1)
agent = Agent(network, network)
for _ in range(3):
    agent.learn(torch.ones(3, 2))
"""


def test_a_network_that_is_given_twice_is_told_where_it_is_given(tmp_path: Path) -> None:
    text = RUN.format(blank="\n" * 20)
    write_tree(tmp_path, {"agents.py": AGENT, "run.py": text})
    found = analyse(Source(str(tmp_path / "run.py"), text), Project([tmp_path]))
    assert [one.place.row for one in found if one.place] == [25]

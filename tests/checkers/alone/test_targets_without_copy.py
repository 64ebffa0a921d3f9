"""Targets that are the network itself, where a class or a function names an earlier state of it."""

import pytest

from autograd_lint.checkers.alone import targets_without_copy
from tests.checkers.noting import told_at

AGENT = """
import copy

class Agent:
    def __init__(self, online):
        self.online = online
        {first}

    def sync(self):
        {sync}

    def step(self, x):
        self.online.train()
        return self.online(x) - {used}
"""


def told(
    first: str = "self.target_net = copy.deepcopy(online)",
    sync: str = "self.target_net = self.online",
    used: str = "self.target_net(x)",
) -> list[int]:
    return told_at(targets_without_copy.judge, AGENT.format(first=first, sync=sync, used=used))


@pytest.mark.parametrize("first", ["self.target_net = copy.deepcopy(online)", "pass"])
def test_a_target_is_bound_to_the_network_that_is_trained(first: str) -> None:
    assert told(first) == [10]


@pytest.mark.parametrize(
    "parts",
    [
        {"sync": "self.target_net = copy.deepcopy(self.online)"},
        {"sync": "self.target_net = self.target_of(self.online)"},
        {"sync": "if self.shared: self.target_net = self.online"},
        {"used": "self.target_net"},  # it may be data
        {"first": "self.target_net = self.online", "sync": "self.target_net = self.copied()"},
    ],
)
def test_nothing_is_told_where(parts: dict[str, str]) -> None:
    assert told(**parts) == []


FUNCTION = """
def distill(model, batches):
    {name} = {made}
    {name}.eval()
    for batch in batches:
        loss(model(batch), {name}(batch)).backward()
"""


@pytest.mark.parametrize(
    ("name", "made", "found"),
    [("teacher", "model", [3]), ("teacher", "copy(model)", []), ("net", "model", [])],
)
def test_a_local_name_for_a_teacher(name: str, made: str, found: list[int]) -> None:
    assert told_at(targets_without_copy.judge, FUNCTION.format(name=name, made=made)) == found

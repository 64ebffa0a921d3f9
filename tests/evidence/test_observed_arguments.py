"""What functions are given, as the runs of their callers tell."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import is_shown

NORMALIZE = """import torch

def normalized(x):
    out = x - x.mean()
    std = (out ** 2).mean().sqrt()
    out.div_(std)
    return out
"""
EPISODES = """
class Episodes:
    def __init__(self, size, net):
        self.size, self.net = size, net
        self._rewards = None

    @property
    def rewards(self):
        if self._rewards is None:
            self._rewards = torch.as_tensor(np.zeros((self.size, 3)))
        return self._rewards

    def advantages(self, values):
        found = self.rewards - {values}
        return {call}

def train(episodes, policy, values):
    (policy(episodes) * episodes.advantages(values)).sum().backward()
"""


@pytest.mark.parametrize(
    ("values", "call", "shown"),
    [
        ("values.detach()", "normalized(found)", False),
        ("self.net(values).detach()", "normalized(found)", False),
        ("self.net(values)", "normalized(found)", True),
        ("values.detach()", "apply(normalized, found)", True),
    ],
)
def test_what_a_caller_computes_without_a_graph_is_data(
    tmp_path: Path, values: str, call: str, shown: bool
) -> None:
    caller = "import numpy as np\n" + EPISODES.format(values=values, call=call)
    assert is_shown(tmp_path, NORMALIZE, caller) is shown


def test_one_caller_that_gives_a_graph_is_enough(tmp_path: Path) -> None:
    caller = "import numpy as np\n"
    caller += EPISODES.format(values="values.detach()", call="normalized(found)")
    trained = "\ndef loss(net, x):\n    normalized(net(x)).sum().backward()\n"
    assert is_shown(tmp_path, NORMALIZE, caller + trained)

"""What functions of Python's own library draw from what they are given."""

import pytest

from tests.vm.running import certain, kinds

REPLAY = """
import random

class Agent:
    def __init__(self):
        self.q = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.q.parameters())
        self.memory = []

    def learn(self, state, reward):
        self.memory.append((self.q(state){}, reward))
        loss = sum((q.max() - r) ** 2 for q, r in random.sample(self.memory, {}))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""


@pytest.mark.parametrize("count", ["1", "len(self.memory)"])
def test_a_memory_of_graphs_is_drawn_from(count: str) -> None:
    assert "graph-freed" in kinds(REPLAY.format("", count))
    assert "graph-freed" not in kinds(REPLAY.format(".detach()", count))


@pytest.mark.parametrize(("names", "found"), [("'relu', 'tanh'", 1), ("torch.relu, torch.sin", 1)])
def test_a_name_that_is_drawn_is_not_known(names: str, found: int) -> None:
    text = (
        "import random\n"
        "def f(x):\n"
        f"    kind = random.choice([{names}])\n"
        "    y = torch.nn.Linear(3, 3)(x).exp()\n"
        "    if kind == 'tanh':\n"
        "        y += 1\n"
        "    return y\n"
    )
    assert len(kinds(text)) == found


@pytest.mark.parametrize("keys", ["['a', 'b']", "('a', 'c')", "{'a': 1}"])
def test_all_keys_have_the_one_value(keys: str) -> None:
    text = f"x = torch.ones(2, requires_grad=True)\nfound = dict.fromkeys({keys}, x)\n"
    assert certain(text + "found['a'].numpy()\n") == ["numpy-on-grad"]


@pytest.mark.parametrize(
    ("given", "found"), [("x", []), ("1.0", ["numpy-on-grad"]), ("[1.0]", []), ("None", [])]
)
def test_numpy_takes_no_tensor_for_a_scalar(given: str, found: list[str]) -> None:
    text = "import numpy as np\nx = torch.ones((), requires_grad=True)\n"
    assert certain(text + f"if np.isscalar({given}):\n    x.numpy()\n") == found


@pytest.mark.parametrize(
    "caller", ["inspect.currentframe().f_back", "sys._getframe(1)", "sys._getframe().f_back"]
)
@pytest.mark.parametrize(("given", "told"), [("True", ["saved-tensor-modified"]), ("False", [])])
def test_what_a_caller_has_bound_is_known(caller: str, given: str, told: list[str]) -> None:
    text = f"""
import inspect, sys
def asked():
    return {caller}.f_locals["shifts"]
def step(x, shifts):
    y = x.exp()
    if asked():
        y += 1
    y.sum().backward()
step(torch.ones(2, requires_grad=True), {given})
"""
    assert certain(text) == told


@pytest.mark.parametrize("path", ["types.SimpleNamespace", "argparse.Namespace"])
def test_a_namespace_has_what_it_is_made_with(path: str) -> None:
    text = (
        f"import argparse\nimport types\nheld = {path}(x=torch.ones(3, requires_grad=True))\n"
        "held.y = held.x.exp()\nheld.y.mul_(2)\nheld.y.sum().backward()\n"
    )
    assert certain(text) == ["saved-tensor-modified"]

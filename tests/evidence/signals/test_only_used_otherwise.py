"""Whether a function is there for others than the project."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HELPER, OPTIONAL, is_shown, weights

USE = "def use(x):\n    return scale(x)\n"


@pytest.mark.parametrize(
    ("caller", "shown"),
    [
        ("print(scale(load()))\n", False),
        (USE + "print(use(load()))\n", False),
        (USE, False),
        ("table = [scale]\n", True),
        (USE + "use(load()).sum().backward()\n", True),
        ("", True),
    ],
)
def test_what_a_project_calls_itself_and_never_trains_is_for_its_own_ends(
    tmp_path: Path, caller: str, shown: bool
) -> None:
    function = HELPER.partition("\n\nclass")[0] + "\n"
    assert is_shown(tmp_path, function, caller) is shown


def test_who_is_not_seen_need_only_call_what_is_given_a_module(tmp_path: Path) -> None:
    function = OPTIONAL.partition("\n\nclass")[0] + "\n"
    assert is_shown(tmp_path, function, "def use(x, net):\n    return scale(x, net, exact=True)\n")


def test_what_a_package_offers_is_there_for_others(tmp_path: Path) -> None:
    function = HELPER.partition("\n\nclass")[0] + "\n"
    others = {
        "__init__.py": "from .own import scale\n",
        "main.py": "from .own import scale\nscale(load())\n",
    }
    assert any(weight < 2 for weight in weights(tmp_path, function, others))


TRAINING = "def train(net, x):\n    net(x).sum().backward()\n"


PENALTY = """import torch

def look(net, x):
    x.requires_grad_(True)
    score = torch.autograd.grad(net(x).sum(), x)[0]
    return (score ** 2).mean()
"""


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        ({"main.py": TRAINING}, False),
        ({"main.py": TRAINING + "from own import look\nlook(net, x).backward()\n"}, True),
        ({}, True),
    ],
)
def test_a_penalty_that_nothing_calls_where_something_is_trained(
    tmp_path: Path, others: dict[str, str], shown: bool
) -> None:
    assert any(weight < 2 for weight in weights(tmp_path, PENALTY, others)) is shown


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        ({"main.py": TRAINING}, False),
        ({"test_own.py": TRAINING + "def test_it():\n    train(net, x)\n"}, True),
        ({"main.py": "from engine import Runner\nRunner.from_cfg(load()).train()\n"}, False),
        ({"main.py": "from engine import Trainer\nTrainer(net).fit()\n"}, False),
        ({"main.py": "from engine import Trainer\n"}, True),
        ({"main.py": TRAINING, "__init__.py": "from .own import scale\n"}, True),
        ({"main.py": TRAINING + "from own import scale\ntable = [scale]\n"}, True),
    ],
)
def test_what_nothing_calls_where_something_is_trained(
    tmp_path: Path, others: dict[str, str], shown: bool
) -> None:
    function = HELPER.partition("\n\nclass")[0] + "\n"
    assert any(weight < 2 for weight in weights(tmp_path, function, others)) is shown

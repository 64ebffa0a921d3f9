"""Options that decide on a fault, and what a project gives for them."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, weights

ATTENTION = """import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size, rate, exact):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.drop = nn.Dropout(rate, inplace=True)
        self.exact = exact

    def forward(self, x):
        {forward}
        return y
"""
DROPPED = "y = self.drop(self.layer(x).softmax(1))"
EXACT = "y = self.layer(x).exp()\n        if self.exact:\n            y += 1"
NETS = """
class Stage(nn.Module):
    def __init__(self, size, rate, exact=False):
        super().__init__()
        self.first = Attention(size, rate, exact)
        self.second = Wide(size, exact, rate)

class Wide(Attention):
    def __init__(self, size, exact, rate):
        super().__init__(2 * size, rate, exact)

class Net(nn.Module):
    def __init__(self, rate=0.0):
        super().__init__()
        self.stage = Stage(8, rate)
"""


@pytest.mark.parametrize(
    ("forward", "made", "shown"),
    [
        (DROPPED, "Net()", False),
        (DROPPED, "Net(0.0)", False),
        (DROPPED, "Net(rate=0.1)", True),
        (DROPPED, "Net(library.rate)", True),
        (DROPPED, "Net(**library.options)", True),
        (DROPPED, "Net()\nAttention(3, 0.1, False)", True),
        (DROPPED, "parser.add_argument('--rate', default=0.0)\nNet(args.rate)", False),
        (DROPPED, "parser.add_argument('--rate', default=0.1)\nNet(args.rate)", True),
        (DROPPED, "parser.add_argument('--rate', type=float)\nNet(args.rate)", True),
        (EXACT, "Net()", False),
        (EXACT, "Net()\nStage(3, 0.1, exact=True)", True),
        (EXACT, "library.use(Attention)", True),
        (EXACT, "Net()\nAttention(3, 0.1, exact=not library.training)", True),
    ],
)
def test_what_a_module_is_made_with_by_way_of_others(
    tmp_path: Path, forward: str, made: str, shown: bool
) -> None:
    text = ATTENTION.format(forward=forward)
    found = weights(tmp_path, text, {"nets.py": HEAD + NETS + made + "\n"})
    assert found and any(weight < 2 for weight in found) is shown


BY_MODE = """import torch

def rotated(x, train):
    y = torch.exp(x)
    if {condition}:
        y[:, 0] = y[:, 1] * 2
    return y
"""


@pytest.mark.parametrize(("condition", "shown"), [("train", True), ("not train", False)])
def test_what_is_told_to_train_is_trained(tmp_path: Path, condition: str, shown: bool) -> None:
    caller = """
class Pose(nn.Module):
    def forward(self, x):
        return rotated(x, self.training)
"""
    found = weights(tmp_path, BY_MODE.format(condition=condition), {"pose.py": HEAD + caller})
    assert any(weight < 2 for weight in found) is shown


PROJECT = """import torch

def project(points, matrix{option}):
    found = torch.mm(matrix, points)
    if {condition}:
        found[:, :2] = torch.mm(shift, found[:, :2])
    return found
"""


@pytest.mark.parametrize(
    ("option", "condition", "shown"),
    [
        (", shift=None", "shift is not None", False),
        (", shift, exact=False", "exact", False),
        (", shift, exact=True", "exact", True),
        (", shift", "shift is not None", True),
    ],
)
def test_who_is_not_seen_hardly_gives_a_tensor_and_an_option_as_well(
    tmp_path: Path, option: str, condition: str, shown: bool
) -> None:
    text = PROJECT.format(option=option, condition=condition)
    assert any(weight < 2 for weight in weights(tmp_path, text, {})) is shown


DECODER = """import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, state=None):
        y = self.layer(x).exp()
        if state is not None and state.offset > 0:
            y += 1
        return y
"""
LOOP = "net = nn.Sequential(Decoder())\nnet(torch.ones(3)).sum().backward()\n"


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        (LOOP, False),
        (LOOP + "class State:\n    def __init__(self):\n        self.offset = 0\n", True),
        ("", True),
    ],
)
def test_an_option_of_a_kind_that_nothing_in_the_project_is(
    tmp_path: Path, others: str, shown: bool
) -> None:
    found = weights(tmp_path, DECODER, {"main.py": HEAD + others})
    assert any(weight < 2 for weight in found) is shown


CHECKED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.config = config

    def forward(self, x):
        y = self.layer(x).exp()
        if getattr(self.config, "exact", False) and self.training:
            y += 1
        return y
"""


@pytest.mark.parametrize(("setting", "shown"), [("config.other", False), ("config.exact", True)])
def test_an_attribute_that_nothing_sets_is_what_getattr_takes_it_to_be(
    tmp_path: Path, setting: str, shown: bool
) -> None:
    asking = 'getattr(config, "exact", False)'
    other = HEAD + f"{setting} = {asking}\nNet(config)\n"
    found = weights(tmp_path, CHECKED, {"settings.py": other})
    assert found and any(weight < 2 for weight in found) is shown

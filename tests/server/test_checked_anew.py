"""A text that is edited again and again has the findings of one that is checked once."""

import random
from pathlib import Path

import pytest
from tests.edits import TRAINING, edited
from tests.fakes import write_tree

from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.server.checking import Checking
from autograd_lint.server.configuring import Configuration
from autograd_lint.server.programs import Part, Program

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"
BLOCKS = """\
import functools

import torch
from torch import nn

SCALE = 2
seen = []


def registered(function):
    seen.append(function.__name__)
    return function


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


class Block(nn.Module):
    def __init__(self, inplace=True):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.inplace = inplace

    @registered
    def forward(self, x):
        h = torch.sigmoid(self.layer(x))
        if self.inplace:
            h += 1
        return h
"""
MODEL = f"""\
import torch
from torch import nn

from blocks import SCALE, Block, registered, seen, traced


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = Block(inplace=False)
        self.kept = None

    @traced
    def forward(self, x):
        y = self.second(self.first(x))
        self.kept = y.detach()
        return y * SCALE


{TRAINING}

if __name__ == "__main__":
    model = Model()
    train(model, [torch.ones(2, 3)])
    print(seen)
"""


def alone(path: Path, text: str) -> list[Finding]:
    """The findings of a check that knows nothing of earlier ones."""
    checker = Checker(Settings(), Project((path.parent,)), standard_machinery)
    return list(checker.source(Source(str(path), text)).findings)


def check_while_editing(path: Path, seed: int, edits: int) -> int:
    """Edit a file at random and compare after each edit; the number of findings in all."""
    chance, checking = random.Random(seed), Checking(Configuration())
    original = text = path.read_text("utf-8")
    found = 0
    for version in range(edits):
        part = Part(path.as_uri(), str(path), text, version)
        result = checking.check(Program(path.as_uri(), str(path), (part,)), lambda: True)
        assert list(result.findings) == alone(path, text), text
        found += len(result.findings)
        text = original if chance.random() < 0.2 else edited(text, chance)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_file_that_imports_another(tmp_path: Path, seed: int) -> None:
    write_tree(tmp_path, {"blocks.py": BLOCKS, "model.py": MODEL, "pyproject.toml": ""})
    assert check_while_editing(tmp_path / "model.py", seed, edits=60) > 30


@pytest.mark.parametrize("name", ["char_rnn.py", "gan.py"])
def test_a_training_script(tmp_path: Path, name: str) -> None:
    write_tree(tmp_path, {name: (DEMO / name).read_text("utf-8"), "pyproject.toml": ""})
    assert check_while_editing(tmp_path / name, seed=1, edits=30) > 0


DEAR = "def one():\n    return 1\n\n\nTABLE = [" + "one(), " * 400 + "]\n"
USING = f"""\
import torch

from helper import TABLE


def one():
    return 1


def step():
    x = torch.ones(2, requires_grad=True)
    y = [TABLE, {"one(), " * 300}]
    x += 1
    return x, y
"""
UNDECIDED = """\
import os

if os.environ.get("SMALL"):
    KIND = 1
else:
    KIND = 2
"""
DECIDING = """\
import torch

from helper import KIND


def step(first, second):
    x = torch.ones(2, requires_grad=True)
    y = x * KIND
    if first:
        y = torch.sigmoid(y)
    else:
        y = x * 3
    if second:
        y = y + 1
    else:
        y += 1
    y.sum().backward()
"""


@pytest.mark.parametrize(
    ("helper", "program"), [(DEAR, USING), (UNDECIDED, DECIDING)], ids=["steps", "decisions"]
)
def test_an_import_takes_the_same_of_a_run_whether_it_was_kept_or_not(
    tmp_path: Path, helper: str, program: str
) -> None:
    settings = '[tool.autograd-lint]\ncertainty = "possible"\n'
    write_tree(tmp_path, {"helper.py": helper, "model.py": program, "pyproject.toml": settings})
    path, checking = tmp_path / "model.py", Checking(Configuration())
    found = []
    for version in range(2):
        text = program.replace("    x = torch", f"    _ = {version}\n    x = torch")
        part = Part(path.as_uri(), str(path), text, version)
        result = checking.check(Program(path.as_uri(), str(path), (part,)), lambda: True)
        found.append([(one.code, one.certainty, one.assumptions) for one in result.findings])
    assert found[0] == found[1] != []

"""Random PyTorch programs as text; one generator under plain dice and under Hypothesis."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from tests.truth import flows, modules, statements
from tests.truth.packaging import SCRIPT, spread
from tests.truth.scenarios import scenario
from tests.truth.writing import Writer

FEWEST_FILES = 3  # beside the script: two modules and the `__init__` of the package
HEAD = ["import copy", "import torch", "import torch.nn as nn", "import torch.nn.functional as F"]


@dataclass(frozen=True)
class Program:
    """A program. `decided` is True when no branch hangs on values that only a run knows.

    `files` are the other files of a program that is spread over a package, by path.
    """

    text: str
    decided: bool
    files: Mapping[str, str] = field(default_factory=dict)


SIMPLE = [
    (30, statements.assign),
    (22, statements.inplace),
    (5, statements.alias),
    (3, statements.integers),
    (4, statements.flag),
    (6, statements.backward),
    (2, statements.update),
    (3, statements.optimizer),
    (5, statements.container),
    (2, statements.gather),
]
COMPOUND = [
    (4, flows.grad_mode),
    (1, flows.switch),
    (3, flows.branch),
    (5, flows.loop),
    (3, flows.function),
    (1, flows.simple),
    (2, modules.module),
    (1, modules.sequential),
]


def statement(w: Writer) -> None:
    """One random statement; compound ones only near the top."""
    if not w.variables():
        statements.data(w, "mat")
    w.weighted(SIMPLE if w.depth > 1 or (w.in_function and w.chance(0.7)) else SIMPLE + COMPOUND)(w)


def program(dice: random.Random, size: int = 13) -> Program:
    """A random program: a scenario, or about `size` statements that end in a backward call."""
    if dice.randrange(100) >= 65:
        text = scenario(dice)
        return packaged(text, dice) if dice.randrange(100) >= 80 else Program(text, True)
    w = Writer(dice, statement)
    w.lines += HEAD
    w.line(f"torch.manual_seed({dice.randrange(3)})")
    statements.leaf(w, w.pick(["mat", "vec"]))
    if w.chance(0.6):
        statements.leaf(w, w.pick(["mat", "vec"]))
    if w.chance(0.5):
        statements.data(w, w.pick(["mat", "vec"]))
    for _ in range(1 + dice.randrange(size)):
        statement(w)
    if w.chance(0.85):
        statements.backward(w, 6)
    return Program(w.text(), w.decided)


def packaged(text: str, dice: random.Random) -> Program:
    """The program of a text, spread over the files of a package where anything can move."""
    files = spread(text, dice)
    return Program(files.pop(SCRIPT, text), True, files)


def project(dice: random.Random, size: int = 13) -> Program:
    """A scenario that is spread over the modules of a package and a script that runs it.

    `size` is not used: it is there for `project` to be drawn like `program`.
    """
    while True:
        made = packaged(scenario(dice), dice)
        if len(made.files) >= FEWEST_FILES:
            return made


def programs(size: int = 13) -> st.SearchStrategy[Program]:
    """The same programs, drawn (and shrunk) by Hypothesis."""
    return st.randoms(use_true_random=False).map(lambda dice: program(dice, size))

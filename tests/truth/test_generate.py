"""The generator is deterministic, and its programs are valid and various."""

import random

from tests.truth.generate import generate
from tests.truth.programs import program
from tests.truth.real import run
from tests.truth.scenarios import choose
from tests.truth.shrinking import shrink
from tests.truth.splitting import split

FAILING = """import torch
w = torch.ones(3, requires_grad=True)
x = torch.ones(3)
h = (w * x).exp()
for i in range(2):
    x = x + 1
h += 1
h.sum().backward()
"""


def test_same_dice_write_the_same_program() -> None:
    assert program(random.Random("a")) == program(random.Random("a"))


def test_programs_reach_most_kinds_of_error() -> None:
    kinds = [verdict.kind for _, verdict in generate(300, 11)]
    assert 0.3 < kinds.count(None) / len(kinds) < 0.6
    assert len(set(kinds)) >= 9


def test_choices_may_be_nested() -> None:
    texts = {choose("a <<b||c <<d||e>>>>", random.Random(seed)) for seed in range(50)}
    assert texts == {"a b\n", "a c d\n", "a c e\n"}


def test_verdict_is_the_innermost_row_of_the_program() -> None:
    text = "import torch\ndef f(t):\n    t += 1\nf(torch.ones(2, requires_grad=True))\n"
    assert run(text).row == 3


def test_an_error_that_is_not_autograds_is_no_verdict() -> None:
    assert not run("1 / 0\n").valid


def test_shrinking_keeps_what_must_hold_and_nothing_else() -> None:
    def fails(text: str) -> bool:
        return "modified by an inplace" in run(text).message

    small = shrink(FAILING, fails)
    assert fails(small)
    assert len(small.splitlines()) == 5


def test_a_function_moves_to_the_second_file_unless_it_reads_what_stays() -> None:
    text = "import torch\ny = 1\ndef f(x):\n    return x\ndef g():\n    return y\nf(1)\n"
    assert split(text) == (
        "from parts import f\nimport torch\ny = 1\ndef g():\n    return y\nf(1)\n",
        "import torch\ndef f(x):\n    return x\n",
    )

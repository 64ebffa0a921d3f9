"""The generator is deterministic, and its programs are valid and various."""

import random

from tests.truth.generate import generate
from tests.truth.packaging import SCRIPT, spread
from tests.truth.programs import program
from tests.truth.real import run
from tests.truth.scenarios import choose
from tests.truth.shrinking import shrink

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


IN_ONE_FILE = """import torch
y = torch.ones(3)
def f(x):
    return x * 2
def g(x):
    return f(x) + 1
def uses_the_rest():
    return y
print(g(y))
"""


def test_what_reads_nothing_of_the_script_moves_into_a_package() -> None:
    files = spread(IN_ONE_FILE, random.Random(0))
    package = "".join(text for name, text in files.items() if name != SCRIPT)
    assert "def f(x)" in package and "def g(x)" in package
    assert sum("def uses_the_rest" in text for text in files.values()) == 1
    assert "def f" not in files[SCRIPT]


def test_a_program_does_the_same_in_a_package_whatever_the_form_of_its_imports() -> None:
    text = FAILING.replace("(w * x).exp()", "f(w, x)")
    text = text.replace("w =", "def f(a, b):\n    return (a * b).exp()\nw =", 1)
    for seed in range(60):
        files = spread(text, random.Random(seed))
        verdict = run(files.pop(SCRIPT), files)
        assert "modified by an inplace" in verdict.message


def test_programs_in_packages_take_every_form_of_import() -> None:
    texts = ["\n".join(spread(IN_ONE_FILE, random.Random(n)).values()) for n in range(60)]
    for form in ("import *", "from .", "import find", "if __name__", "from . import"):
        assert any(form in text for text in texts)

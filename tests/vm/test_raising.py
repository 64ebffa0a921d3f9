"""A line at which Python itself ends the program is the last one that is looked at."""

import pytest

from tests.vm.running import kinds

LEAF = "w = torch.ones(3, requires_grad=True)\n"
ENDING = [
    "None.zero_()",
    "(3).append(1)",
    'name = "a"\nname.missing()',
    "[1].missing",
    "step = None\nstep(w)",
    'x = "a" + 1',
    "x = -None",
    "x = None\nx[0]",
    "x = 3\nx[0]",
    "count = 0\nx = 3 / count",
    "x = [1]\nx[2]",
    "x = (1,)\nx[-2]",
    'd = {"a": 1}\nd["b"]',
    "class A:\n    pass\nA().missing",
    "def f():\n    x = None\n    return x.missing\nf()",
]
GOING_ON = [
    "import collections\nc = collections.Counter('ab')\nc['z']",
    "import collections\nE = collections.namedtuple('E', 'a b')\nE(1, 2)._replace(a=3)",
    "import enum\nclass K(enum.Enum):\n    A = 1\nK.A.value",
    "class A:\n    def __init__(self):\n        object.__setattr__(self, 'b', 1)\nA().b",
    "import sys\nsys.argv[1].missing",
    "import re\nre.match('a', 'b').group(0)",
    "w.size().numel()",
    "import collections\nd = collections.defaultdict(list)\nd['b']",
    "x = [1]\nx[-1]",
    "m = nn.Conv2d(1, 1, 3)\nm.kernel_size[1]",
    "x = nn.ModuleList()\nfor n in range(90):\n    x.append(nn.ReLU())\nx[80]",
    "x = 0\nfor n in range(90):\n    x = n // 80\n3 / x",
    "class A:\n    def __getattr__(self, name):\n        return name\nA().missing",
    "class A:\n    pass\na = A()\nsetattr(a, 'mis' + 'sing', 1)\na.missing",
    "import other\nclass A(other.B):\n    pass\nA().missing",
    "import glob\nx = []\nfor i, f in enumerate(glob.glob('*')):"
    "\n    if i % 9 > 7:\n        x.append(f)\n1 / len(x)",
    "import os\nx = [n for n in os.listdir() if n == 'a']\n1 / sum(1 for n in x)",
    "import os\nd = {}\nfor n in os.listdir():\n    d[n] = 1\nd['a']",
    "import pandas\nx = []\nfor v in pandas.read_table('t').ID.values[:9]:"
    "\n    if len(x) > 5:\n        x.append(v)\nx[3]",
    "import other\nx = None\nif other.flag:\n    x = other.thing()\nx.missing",
]
CAUGHT = [
    ("None.zero_()", "AttributeError"),
    ("{'a': 1}['b']", "LookupError"),
    ("1 / 0", "ArithmeticError"),
    ("1 / 0", "(KeyError, ZeroDivisionError)"),
]


@pytest.mark.parametrize("line", ENDING)
def test_nothing_is_told_behind_a_line_where_python_ends(line: str) -> None:
    assert kinds(f"{LEAF}{line}\nw += 1\n") == []


@pytest.mark.parametrize("line", ENDING)
def test_what_stands_before_such_a_line_is_told(line: str) -> None:
    assert kinds(f"{LEAF}w += 1\n{line}\n") == ["leaf-modified"]


@pytest.mark.parametrize("line", GOING_ON)
def test_what_may_be_right_ends_nothing(line: str) -> None:
    assert kinds(f"{LEAF}{line}\nw += 1\n") == ["leaf-modified"]


@pytest.mark.parametrize(("line", "error"), CAUGHT)
def test_a_program_that_catches_the_error_goes_on(line: str, error: str) -> None:
    assert kinds(f"{LEAF}try:\n    {line}\nexcept {error}:\n    w += 1\n") == ["leaf-modified"]


def test_another_handler_does_not_catch_it() -> None:
    assert kinds(f"{LEAF}try:\n    1 / 0\nexcept KeyError:\n    pass\nw += 1\n") == []


def test_a_gradient_that_is_none_is_told_and_the_run_goes_on() -> None:
    assert len(kinds(f"{LEAF}w.grad.zero_()\nw += 1\n")) == 2


def test_what_never_happens_because_the_program_has_ended_is_not_told() -> None:
    text = """
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], 0.1)
for _ in range(3):
    optimizer.zero_grad()
    w.sum().backward()
None.missing
optimizer.step()
"""
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("test", "found"),
    [("False", []), ('0, "never"', []), ("x.sum() > 0", ["no-grad-root"])],
)
def test_what_follows_an_assertion_that_never_holds_is_not_reached(
    test: str, found: list[str]
) -> None:
    assert kinds(f"x = torch.ones(3)\nassert {test}\nx.sum().backward()\n") == found


def test_the_side_that_asserts_false_is_not_the_usual_one() -> None:
    program = "import sys\nif len(sys.argv) > 2:\n    assert False, 'too many'\n"
    assert kinds(program + LEAF + "w += 1\n") == ["leaf-modified"]

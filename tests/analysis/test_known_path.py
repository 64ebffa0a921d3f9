"""What a program has decided that is known to have come by a row."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analysed
from autograd_lint.analysis.known_path import KnownPath
from autograd_lint.engine.faults import Fault
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

BEGINS = "import sys, torch\n\nx = torch.randn(3, requires_grad=True)\nh = x.exp()\n"
ENDS = "h.sum().backward()\n"
WRITES = "h += 1"


def shown(middle: str, *, at: str | None = WRITES, recorded: bool = True) -> list[Fault]:
    """What the runs show of a program that is known to have come by the lines with a text."""
    text = BEGINS + middle + ENDS
    rows = {row for row, line in enumerate(text.split("\n"), 1) if at is not None and at in line}
    source = Source("train.py", text)
    known = KnownPath({"train.py": rows}, recorded) if rows else None
    return analysed(source, Project.alone(), known=known).faults


CONDITIONED = {
    "the side of a condition": "if len(sys.argv) > 7:\n    h += 1\n",
    "a loop over what seems to be empty": "for _ in []:\n    h += 1\n",
    "a loop whose condition seems to be false": "while sys.argv is None:\n    h += 1\n",
    "a handler": "try:\n    y = x + 1\nexcept ValueError:\n    h += 1\n",
    "a handler of what returns nothing": (
        "def read():\n    try:\n        return x + 1\n"
        "    except OSError:\n        h.add_(1)  # h += 1\n"
        "\n\nread()\n"
    ),
    "a case": "match 1:\n    case 2:\n        h += 1\n    case _:\n        pass\n",
}


@pytest.mark.parametrize("middle", CONDITIONED.values(), ids=list(CONDITIONED))
def test_a_row_settles(middle: str) -> None:
    assert [fault.assumptions for fault in shown(middle)] == [frozenset()]


@pytest.mark.parametrize("middle", list(CONDITIONED.values())[1:], ids=list(CONDITIONED)[1:])
def test_without_the_row_nothing_is_told(middle: str) -> None:
    assert not [fault for fault in shown(middle, at=None) if not fault.assumptions]


def test_a_row_past_a_return_was_not_left_before() -> None:
    middle = (
        "def step():\n    if len(sys.argv) > 1:\n        return\n    h.mul_(2)\n    mark = 1\n\n\n"
        "step()\n"
    )
    assert [fault.assumptions for fault in shown(middle, at="mark")] == [frozenset()]


def test_a_row_past_an_else_that_raises_took_the_other_side() -> None:
    middle = (
        "if len(sys.argv) > 7:\n    h.mul_(2)\nelse:\n    with open('x'):\n        raise OSError\n"
        "mark = 1\n"
    )
    assert [fault.assumptions for fault in shown(middle, at="mark")] == [frozenset()]


def test_an_error_of_recorded_gradients_says_that_they_were_recorded() -> None:
    middle = "with torch.set_grad_enabled(len(sys.argv) > 7):\n    x.sum()\n    x += 1\nx = h\n"
    source = Source("train.py", BEGINS + middle)
    known = KnownPath({"train.py": {7}}, recorded=True)
    faults = analysed(source, Project.alone(), known=known).faults
    assert [(fault.kind.value, fault.assumptions) for fault in faults] == [
        ("leaf-modified", frozenset())
    ]


def test_rows_at_odds_settle_nothing() -> None:
    text = "def f(a):\n    if a:\n        g()\n    else:\n        h()\n"
    source = Source(str(Path("f.py")), text)
    assert not KnownPath({"f.py": {3, 5}}).decisions(source)

"""Where a name can be given a new tensor."""

from textwrap import dedent

import pytest

from autograd_lint.project.source import Source
from autograd_lint.rules.reading import names
from tests.rules.telling import spot


def can_rebind(text: str, target: str = "h") -> bool:
    """Whether `target` can be bound anew where the text says `here`."""
    source = Source("a.py", dedent(text))
    return names.can_rebind(source, spot(source, "here"), target)


@pytest.mark.parametrize(
    "text",
    [
        "h = f()\nhere\n",
        "def f(h):\n    here\n    return h\n",
        "def f():\n    h = g()\n    here\n",
        "def f():\n    global h\n    here\n",
        "def f(h):\n    for t in x:\n        g(h)\n        here\n",
        "for h in x:\n    here\n    g(h)\n",
    ],
)
def test_names_that_can(text: str) -> None:
    assert can_rebind(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(h):\n    g(h)\n    here\n",  # the caller's tensor is what is written
        "for h in x:\n    g(h)\n    here\n",
        "def f():\n    here\n    return h\n",  # it would become a variable of the function
    ],
)
def test_names_that_cannot(text: str) -> None:
    assert not can_rebind(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("self.h = torch.zeros(2)\nhere\n", True),
        ("self.register_buffer('h', x)\nhere\n", True),
        ("self.h = nn.Parameter(x)\nhere\n", False),
        ("self.h = x\nself.h = torch.nn.Parameter(x)\nhere\n", False),
        ("here\n", False),
    ],
)
def test_attributes(text: str, expected: bool) -> None:
    assert can_rebind(text, "self.h") is expected


def test_flags_of_what_is_called() -> None:
    source = Source(
        "a.py", "act = R(inplace=True)\nother = R(inplace=True)\nact = R(inplace=False)\n"
    )
    assert [place.row for place in names.inplace_flags(source, "act")] == [1]

"""The names that the functions of a file give for the parameters of its classes."""

import pytest

from autograd_lint.facts.given_names import names_given
from autograd_lint.project.source import Source

NET = """
class Net:
    def __init__(self, block, depth=3):
        pass

"""


HANDED_ON = """
def _net(kind, depth):
    return Net(kind, depth)

def net18():
    return _net(Block, 18)
"""


@pytest.mark.parametrize(
    ("callers", "given"),
    [
        ("def net18():\n    return Net(Block, 18)\n", {"block": ("Block",)}),
        (
            "def net18():\n    return Net(depth=18, block=layers.Block)\n",
            {"block": ("layers.Block",)},
        ),
        ("a = Net(Block)\nb = Net(Wide)\n", {"block": ("Block", "Wide")}),
        (HANDED_ON, {"block": ("Block",)}),
        ("def net(n):\n    Block = choose(n)\n    return Net(Block)\n", {}),
        ("def net(kind):\n    return Net(kind)\n", {}),
        ("def net(blocks):\n    return Net(*blocks)\n", {}),
        ("class Other:\n    def make(self, kind):\n        return Net(kind)\n", {}),
        ("def net():\n    return Net(Net)\n", {"block": ("Net",)}),
    ],
)
def test_what_callers_give_is_told_by_its_name(
    callers: str, given: dict[str, tuple[str, ...]]
) -> None:
    assert names_given(Source("a.py", NET + callers)).get("Net", {}) == given


def test_functions_that_call_each_other_come_to_an_end() -> None:
    callers = "def net(kind):\n    net(kind)\n    return Net(kind)\n"
    assert names_given(Source("a.py", NET + callers)) == {"Net": {}}

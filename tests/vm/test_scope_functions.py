"""Python's built-in functions on names."""

import pytest

from tests.vm.running import certain, kinds, taking

HELD = """
class Held:
    def __init__(self, h):
        self.__dict__.update(locals())
"""


@pytest.mark.parametrize(
    "taken",
    [
        "g = vars(Held(h))['h']",
        "held = Held(1)\nvars(held)['other'] = h\ng = held.other",
        "g = vars()['h']",
        "g = locals()['h']",
        "g = Held(h).h",
        "g = eval('h')",
        "g = globals()['h']",
        "globals()['other'] = h\ng = other",
        "import importlib\ng = importlib.import_module('torch').Tensor.view_as(h, h)",
        "g = eval(' Held(h).h ')",
        "g = __import__('torch').Tensor.view_as(h, h)",
        "g = __import__('torch.nn', fromlist=['x']).Flatten(0)(h)",
    ],
)
def test_a_name_is_what_it_is_bound_to(taken: str) -> None:
    assert certain(taking(taken, HELD)) == ["saved-tensor-modified"]


def test_what_is_put_among_the_local_names_is_not_bound() -> None:
    taken = "g = torch.ones(3)\nlocals()['g'] = h"
    assert kinds(f"def f():\n    {taking(taken, HELD)}".replace("\n", "\n    ")) == []


@pytest.mark.parametrize("text", ["name", "'h +'", "'x' * 500", "'h', {'h': 1}"])
def test_a_text_that_is_not_known_or_no_expression_is_not_evaluated(text: str) -> None:
    assert kinds(f"def f(name, x):\n    h = x.exp()\n    g = eval({text})\n    g.mul_(2)\n") == []


def test_of_all_names_of_a_module_none_stands_for_the_others() -> None:
    text = "def f(name, x):\n    h = x.exp()\n    g = globals()[name](h)\n    g.mul_(2)\n"
    assert kinds(text + "    h.sum().backward()\n") == []

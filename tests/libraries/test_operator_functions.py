"""The operators of Python by name."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source

LEAF = "import operator\nimport torch\nw = torch.ones(3, requires_grad=True)\n"


@pytest.mark.parametrize("call", ["iadd(w, 1)", "imul(w, 2)", "__isub__(w, 1)"])
def test_an_in_place_operator_writes_its_first_argument(call: str) -> None:
    (fault,) = analyse(Source("a.py", LEAF + f"operator.{call}"))
    assert (fault.kind.value, fault.tensor) == ("leaf-modified", "w")


def test_storing_an_item_writes() -> None:
    (fault,) = analyse(Source("a.py", LEAF + "operator.setitem(w, 0, 1.0)"))
    assert fault.kind.value == "leaf-view-modified"


@pytest.mark.parametrize("call", ["add(w, 1)", "neg(w)", "lt(w, 1)", "getitem(w, 0)"])
def test_other_operators_do_not(call: str) -> None:
    assert analyse(Source("a.py", LEAF + f"operator.{call}\nw.requires_grad")) == []


def test_an_operator_saves_what_it_needs() -> None:
    text = "h = w.exp()\ny = operator.mul(h, h)\nh += 1\ny.sum().backward()"
    (fault,) = analyse(Source("a.py", LEAF + text))
    assert fault.saved is not None and fault.saved.operator == "mul"

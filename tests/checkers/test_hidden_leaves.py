"""Functions that put the flag they are given onto a tensor that nobody gets."""

import pytest
import torch

from tests.vm.running import faults, kinds

MAKER = """
def angles(shape, dtype=None, requires_grad=False):
    made = torch.zeros(3, 4, dtype=dtype, requires_grad=requires_grad)
    return {result}
"""
CASES = [
    ("made[0], made[1], made[2]", True),
    ("made * 0.1", True),
    ("made", False),
    ("made, made * 0.1", False),
    ("made.detach()[0].requires_grad_(requires_grad)", False),
    ("made.to('cpu')", False),
]


@pytest.mark.parametrize(("result", "told"), CASES)
def test_only_parts_of_the_leaf_are_returned(result: str, told: bool) -> None:
    assert ("non-leaf-grad" in kinds(MAKER.format(result=result))) == told


@pytest.mark.parametrize(("result", "told"), CASES)
def test_the_real_engine_leaves_the_gradients_none(result: str, told: bool) -> None:
    names = {"torch": torch}
    exec(MAKER.format(result=result), names)
    made = names["angles"](4, requires_grad=True)  # type: ignore[operator]
    parts = made if isinstance(made, tuple) else (made,)
    assert all(not part.is_leaf for part in parts) == told


def test_a_flag_that_a_function_decides_itself_is_its_own_affair() -> None:
    text = MAKER.replace("requires_grad=requires_grad", "requires_grad=True")
    assert kinds(text.format(result="made * 0.1")) == []


def test_what_a_method_keeps_is_not_hidden() -> None:
    text = (
        "class Maker:\n    def make(self, requires_grad=False):\n"
        "        self.made = torch.zeros(2, requires_grad=requires_grad)\n"
        "        return self.made * 2\n"
    )
    assert kinds(text) == []


def test_a_gradient_that_is_read_is_told_there() -> None:
    text = MAKER.format(result="made[0], made[1]") + (
        "a, b = angles(4, requires_grad=True)\n(a + b).sum().backward()\nprint(b.grad)\n"
    )
    assert [fault.place.row for fault in faults(text) if fault.place is not None] == [9]

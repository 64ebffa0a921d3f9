"""Results that are dropped."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

MOVED = """
from package import Quantized
layer = nn.Linear(2, 2)
layer.weight = {weight}
layer.weight.{method}
"""


@pytest.mark.parametrize("method", ["cuda(0)", "to('cuda')", "half()"])
def test_a_parameter_of_unknown_code_may_move_itself(method: str) -> None:
    of_torch = MOVED.format(weight="nn.Parameter(torch.ones(2, 2))", method=method)
    assert Pitfall.RESULT_DROPPED in noted(of_torch)
    of_others = MOVED.format(weight="Quantized(torch.ones(2, 2))", method=method)
    assert Pitfall.RESULT_DROPPED not in noted(of_others)


WARMED = """
_ = torch.zeros(1)
_.cuda()
{}
def warm():
    first = torch.zeros(1)
    first.cuda()
    {}
warm()
"""


def test_a_tensor_that_nothing_else_reads_was_made_for_that() -> None:
    assert Pitfall.RESULT_DROPPED not in noted(WARMED.format("", ""))
    assert Pitfall.RESULT_DROPPED in noted(WARMED.format("print(_.device)", ""))
    assert Pitfall.RESULT_DROPPED in noted(WARMED.format("", "return first"))


def test_a_tensor_of_the_caller_is_read_there() -> None:
    text = "def move(x):\n    x.cuda()\nx = torch.zeros(1)\nmove(x)\nprint(x)\n"
    assert Pitfall.RESULT_DROPPED in noted(text)

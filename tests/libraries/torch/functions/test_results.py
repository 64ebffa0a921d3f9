"""What autograd makes of the results of a custom Function.

Source: `_process_backward_mode_ad` in torch/csrc/autograd/custom_function.cpp.
"""

import pytest

from tests.vm.running import kinds

TEXT = """
class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, rounded):
        return {returned}

    @staticmethod
    def backward(ctx, grad):
        return grad, None

w = torch.ones(3, requires_grad=True)
y = Straight.apply(w * 1, w * 2)
y.relu_()
y.sum().backward()
"""


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        ("rounded", ["view-modified"]),
        ("rounded.view(-1)", ["view-modified"]),
        ("rounded.detach().view(-1)", ["view-modified"]),
        ("rounded.detach()", []),
        ("x.detach()", []),
        ("rounded.data", []),
        ("rounded.clone()", []),
    ],
)
def test_a_view_of_an_input_must_not_be_written(returned: str, found: list[str]) -> None:
    assert kinds(TEXT.format(returned=returned)) == found


FETCHED = """
from elsewhere import fetch

class Reduced(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return fetch(x)

    @staticmethod
    def backward(ctx, grad):
        return grad

w = torch.ones(3, requires_grad=True)
y = Reduced.apply({given})
y.sum().backward()
y.sum().backward()
"""


@pytest.mark.parametrize(
    ("given", "found"), [("w.exp()", ["graph-freed"]), ("w.detach()", ["no-grad-root"])]
)
def test_what_unseen_code_gave_forward_has_the_graph_of_the_input(
    given: str, found: list[str]
) -> None:
    assert kinds(FETCHED.format(given=given)) == found

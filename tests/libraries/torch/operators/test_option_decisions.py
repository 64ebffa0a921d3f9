"""Options of unknown value decide what an operator does; unknown dtypes widen."""

from autograd_lint.engine.faults import FaultKind
from tests.vm.running import certain, faults, kinds

IDENTITY = """
class Filter(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.drop = nn.Dropout({rate})

    def forward(self, x):
        kept = self.drop(torch.sigmoid(self.layer(x)))
        kept *= 2
        return kept
"""
OUT = """
from library import buffer
x = torch.rand(3, requires_grad=True)
y = x * 2
torch.mul(y, 3, out={out})
"""


def test_a_layer_of_unknown_rate_may_give_its_argument_back() -> None:
    (fault,) = faults(IDENTITY.format(rate="rate"))
    assert fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    assert any(why.condition is not None for why in fault.assumptions)


def test_a_layer_of_known_rate_gives_a_copy() -> None:
    assert kinds(IDENTITY.format(rate="0.5")) == []
    assert kinds(IDENTITY.format(rate="0.0")) == ["saved-tensor-modified"]


def test_a_buffer_of_unknown_value_may_be_none() -> None:
    assert certain(OUT.format(out="buffer")) == []
    assert certain(OUT.format(out="torch.empty(3)")) == ["other"]


WIDENED = """
from library import kind
mask = torch.ones(3) > 0
weight = torch.rand(3, requires_grad=True)
gate = mask.to(kind)
gate.requires_grad_()
"""


def test_what_is_converted_to_an_unknown_dtype_may_be_of_floats() -> None:
    assert certain(WIDENED) == []
    assert certain(WIDENED.replace("to(kind)", "to(torch.int64)")) != []

"""Functions that treat their arguments as data."""

import pytest

from tests.vm.running import kinds

AVERAGED = """
def averaged(x, mean):
    {first}
    y = mean.sqrt()
    y += 1
    return x / y
"""


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("mean.mul_(0.9).add_(x)", []),
        ("mean = mean.mul_(0.9)", []),
        ("mean = mean * 0.9", ["saved-tensor-modified"]),
        ("mean = mean.clone(); mean.mul_(0.9)", ["saved-tensor-modified"]),
    ],
)
def test_what_a_function_overwrites_is_data(first: str, found: list[str]) -> None:
    assert kinds(AVERAGED.format(first=first)) == found


JACOBIAN = """
from torch.nn import LSTM

class Derivatives:
    def product(self, module: {kind}, x):
        y = module.weight.exp()
        y {how} x
        return y
"""


@pytest.mark.parametrize("kind", ["LSTM", "nn.Linear"])
def test_the_weights_of_a_layer_that_is_not_called_have_been_trained(kind: str) -> None:
    assert kinds(JACOBIAN.format(kind=kind, how="*=")) == []


def test_an_object_that_is_no_layer_may_hold_anything() -> None:
    assert kinds(JACOBIAN.format(kind="State", how="*=")) == ["saved-tensor-modified"]


CODED = """
def coded(y, encoder, mean):
    y = y * 2
    scale = torch.exp(y)
    scale += 1
    symbols = scale.round()
    {encode}
    return scale
"""


@pytest.mark.parametrize(
    ("encode", "found"),
    [
        ("encoder.encode(symbols.tolist())", []),
        ("found = [symbols]; encoder.encode(found[0].flatten().tolist())", []),
        ("encoder.encode(symbols)", ["saved-tensor-modified"]),
        ("encoder.encode(mean.tolist())", ["saved-tensor-modified"]),
    ],
)
def test_what_is_made_into_lists_of_numbers_is_data(encode: str, found: list[str]) -> None:
    assert kinds(CODED.format(encode=encode)) == found

"""Containers of parameters make parameters of the tensors that are put into them."""

import pytest

from tests.vm.running import kinds

PROGRAM = """
import torch
from torch import nn

data = torch.ones(2)
{make}
{part}.register_hook(print)
"""


@pytest.mark.parametrize(
    ("make", "part"),
    [
        ("parts = nn.ParameterList([data])", "parts[0]"),
        ("parts = nn.ParameterList(); parts.append(data)", "parts[0]"),
        ("parts = nn.ParameterList(); parts.extend([data])", "parts[0]"),
        ("parts = nn.ParameterDict({'a': data})", "parts['a']"),
        ("parts = nn.ParameterDict([('a', data)])", "parts['a']"),
        ("parts = nn.ParameterDict(); parts['a'] = data", "parts['a']"),
    ],
)
def test_an_element_requires_grad(make: str, part: str) -> None:
    assert kinds(PROGRAM.format(make=make, part=part)) == []


def test_the_tensor_that_was_put_in_stays_as_it_was() -> None:
    program = PROGRAM.format(make="parts = nn.ParameterList([data])", part="data")
    assert kinds(program) == ["other"]


def test_an_element_shares_the_memory_of_the_tensor() -> None:
    program = PROGRAM.format(make="parts = nn.ParameterList([data])", part="parts[0]")
    lines = "loss = (parts[0] * parts[0].exp()).sum()\ndata.add_(1)\nloss.backward()\n"
    assert kinds(program + lines) == ["saved-tensor-modified"]

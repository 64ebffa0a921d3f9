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


NAMED = """
parts = nn.ParameterDict({'a': torch.ones(2), 'b': torch.ones(2)})
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for name in parts:\n    (parts[name] * 2).backward()\n",
        "for name in parts.keys():\n    (parts[name] * 2).backward()\n",
        "for name, one in parts.items():\n    (one * 2).backward()\n",
        "for one in parts.values():\n    (one * 2).backward()\n",
        "for one in dict(parts).values():\n    (one * 2).backward()\n",
    ],
)
def test_the_names_of_a_dictionary_of_parameters_lead_to_them(loop: str) -> None:
    assert kinds(NAMED + loop) == ["non-scalar-root"]


def test_all_of_a_dictionary_are_inputs() -> None:
    unused = "torch.autograd.grad(parts['a'].sum(), list(parts.values()))\n"
    assert kinds(NAMED + unused) == ["unused-input"]


def test_a_dictionary_of_modules_is_gone_through_by_its_names() -> None:
    text = "parts = nn.ModuleDict({'a': nn.Linear(2, 2)})\n"
    loop = "for name in parts:\n    parts[name](torch.ones(2)).backward()\n"
    assert kinds(text + loop) == ["non-scalar-root"]

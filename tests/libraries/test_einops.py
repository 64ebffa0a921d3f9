"""What einops hands back: views, copies and sums of what it is given."""

import pytest
import torch

from autograd_lint.engine.faults import FaultKind
from tests.vm.running import certain, kinds

WRITTEN = """
from einops import {name}
lin = nn.Linear(8, 8)
y = torch.exp(lin(torch.ones(2, 3, 8)))
z = {name}(y, {rest})
z += 1
y.sum().backward()
"""
SAVED = FaultKind.SAVED_TENSOR_MODIFIED.value
VIEWS = [
    ("rearrange", "'b n (h d) -> b h n d', h=2"),
    ("rearrange", "'b n d -> b () n d'"),
    ("rearrange", "'b n d -> b n d'"),
    ("rearrange", "'b n d -> (b n) d'"),
    ("rearrange", "'b ... d -> b d ...'"),
]
COPIES = [
    ("rearrange", "'b n d -> (n b) d'"),
    ("reduce", "'b n d -> b d', 'sum'"),
    ("repeat", "'b n d -> (k b) n d', k=2"),
]
PARTS = """
from einops.layers.torch import Rearrange
split = Rearrange('b n (h d) -> b h n d', h=2)
k, v = nn.Linear(8, 16)(torch.ones(2, 3, 8)).chunk(2, dim=-1)
k = {call}
k.masked_fill_(k > 0, 0.)
"""


@pytest.mark.parametrize(("name", "rest"), VIEWS)
def test_what_is_only_split_or_put_elsewhere_is_a_view(name: str, rest: str) -> None:
    assert kinds(WRITTEN.format(name=name, rest=rest)) == [SAVED]


@pytest.mark.parametrize(("name", "rest"), COPIES)
def test_what_is_joined_across_memory_is_a_copy(name: str, rest: str) -> None:
    assert kinds(WRITTEN.format(name=name, rest=rest)) == []


@pytest.mark.parametrize("call", ["split(k)", "k"])
def test_a_part_of_a_chunk_stays_one_through_a_layer(call: str) -> None:
    assert kinds(PARTS.format(call=call)) == [FaultKind.VIEW_MODIFIED.value]


def test_a_repeated_parameter_shares_its_memory() -> None:
    text = "from einops import repeat\nw = nn.Parameter(torch.ones(1, 3))\n"
    assert kinds(text + "t = repeat(w, '() d -> b d', b=4)\nt.add_(1)\n") == [
        FaultKind.LEAF_VIEW_MODIFIED.value
    ]


def test_what_contracts_saves_what_it_is_given() -> None:
    text = "from einops import einsum\nq = nn.Linear(4, 4)(torch.ones(4, 4))\n"
    text += "s = einsum(q, q, 'row left, column left -> row column')\nq += 1\ns.sum().backward()\n"
    assert kinds(text) == [SAVED]


def test_torch_keeps_the_memory_of_what_is_split_and_turned() -> None:
    x = torch.ones(2, 3, 8)
    turned = x.reshape(2, 3, 2, 4).permute(0, 2, 1, 3)
    assert turned._base is x
    assert x.permute(1, 0, 2).reshape(6, 8)._base is None


PACKED = """
from einops import pack, unpack
deep = nn.Linear(8, 8)
books = nn.Parameter(torch.rand(8, 8))
flat, sizes = pack([deep(torch.ones(2, 3, 8))], 'b * d')
codes = unpack({packed}, sizes, 'b * d')[0]
codes.sum().backward()
(flat * flat).sum().backward()
"""


def test_the_sizes_of_what_is_packed_have_no_graph() -> None:
    assert certain(PACKED.format(packed="torch.ones(2, 3, 8) @ books")) == []
    assert certain(PACKED.format(packed="flat * flat")) == ["graph-freed"]

"""Programs that ask for CUDA, where there is none."""

import ast

import pytest
import torch
from torch import nn

from autograd_lint.live.confirm.no_cuda import WithoutCuda

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")
NOTHING = ast.parse("")


@pytest.mark.parametrize("device", ["cuda", "cuda:0", torch.device("cuda")])
def test_what_is_moved_is_a_copy_with_a_graph(device: object) -> None:
    leaf = torch.ones(2, requires_grad=True)
    with WithoutCuda(NOTHING) as without:
        moved = [leaf.cuda(), leaf.to(device), leaf.to(device, torch.float64)]
    assert without.used
    assert all(one.grad_fn is not None and one.data_ptr() != leaf.data_ptr() for one in moved)
    assert moved[2].dtype is torch.float64


def test_modules_stay_where_they_are() -> None:
    layer = nn.Linear(2, 2)
    with WithoutCuda(NOTHING):
        assert layer.cuda() is layer
        assert layer.to("cuda") is layer


def test_other_moves_are_left_alone() -> None:
    leaf = torch.ones(2, requires_grad=True)
    with WithoutCuda(NOTHING) as without:
        assert leaf.to("cpu") is leaf
    assert not without.used


def test_tensors_made_there_are_made_here() -> None:
    tree = ast.parse("x = torch.zeros(2, device='cuda:1')")
    with WithoutCuda(tree) as without:
        assert ast.unparse(tree) == "x = torch.zeros(2, device='cpu')"
    assert without.used


def test_torch_is_left_as_it_was() -> None:
    before = (torch.Tensor.to, torch.Tensor.cuda, nn.Module.to, torch.cuda.synchronize)
    with WithoutCuda(NOTHING):
        pass
    assert (torch.Tensor.to, torch.Tensor.cuda, nn.Module.to, torch.cuda.synchronize) == before

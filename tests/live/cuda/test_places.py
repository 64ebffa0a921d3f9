"""Reports name the same places for tensors on a GPU as for those on the CPU."""

import pytest
import torch

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.tracing import Tracer
from tests.live.cuda.programs import on_gpu
from tests.live.programs import Run
from tests.live.test_three_places import PROGRAMS

# Their kernels save what those of the CPU do not, or step all parameters at once. The rows are
# those of the line that saves, the line that writes, and the line that needs.
OWN_KERNELS = {
    "a convolution of cuDNN": """
        import torch
        net = torch.nn.Conv2d(2, 3, 3)
        x = torch.randn(1, 2, 8, 8, requires_grad=True).exp()
        y = net(x)
        x += 1
        y.sum().backward()
        """,
    "a batch normalization of cuDNN": """
        import torch
        net = torch.nn.BatchNorm2d(2)
        x = torch.randn(4, 2, 8, 8, requires_grad=True) * 2
        y = net(x)
        x += 1
        y.sum().backward()
        """,
    "an LSTM of cuDNN": """
        import torch
        net = torch.nn.LSTM(3, 4)
        x = torch.randn(5, 2, 3, requires_grad=True) * 2
        y, _ = net(x)
        x += 1
        y.sum().backward()
        """,
    "fused attention": """
        import torch
        q = (torch.randn(1, 2, 8, 16, requires_grad=True) * 2).half()
        k = v = torch.ones(1, 2, 8, 16, dtype=torch.float16)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        q += 1
        y.sum().backward()
        """,
    "autocast": """
        import torch
        net, tail = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
        with torch.autocast("cuda", dtype=torch.float16):
            h = net(torch.randn(2, 3)).sigmoid()
            h += 1
            loss = tail(h).sum()
        loss.backward()
        """,
}
ROWS = {"autocast": {"saved": 5, "modified": 6, "needed": 8}}


@pytest.mark.parametrize("name", PROGRAMS)
def test_three_places(name: str, traced: Run) -> None:
    assert traced(on_gpu(PROGRAMS[name])).rows() == {"saved": 4, "modified": 5, "needed": 6}


@pytest.mark.parametrize("name", OWN_KERNELS)
def test_three_places_where_a_gpu_has_kernels_of_its_own(name: str, traced: Run) -> None:
    run = traced(on_gpu(OWN_KERNELS[name]))
    assert run.fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    assert run.rows() == ROWS.get(name, {"saved": 5, "modified": 6, "needed": 7})


@pytest.mark.parametrize("options", ["", "foreach=False", "fused=True"])
def test_step_between_forward_and_backward(options: str, traced: Run) -> None:
    run = traced(
        f"""
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)).cuda()
        opt = torch.optim.Adam(net.parameters(), {options})
        net(torch.ones(1, 2, device="cuda")).sum().backward()
        loss = net(torch.ones(1, 2, device="cuda")).sum()
        opt.step()
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 5, "modified": 6, "needed": 7}


def test_second_backward_names_built_freed_and_needed(traced: Run) -> None:
    run = traced(
        """
        import torch
        x = torch.randn(3, device="cuda", requires_grad=True)
        h = x.exp()
        h.sum().backward()
        h.mean().backward()
        """
    )
    assert run.fault.kind is FaultKind.GRAPH_FREED
    assert run.rows() == {"built": 3, "freed": 4, "needed": 5}


def test_foreach_optimizer_counts_versions_as_without_the_tracer() -> None:
    def versions() -> list[int]:
        torch.manual_seed(0)
        net = torch.nn.Linear(4, 4).cuda()
        optimizer = torch.optim.Adam(net.parameters(), foreach=True)
        for _ in range(3):
            net(torch.ones(2, 4, device="cuda")).sum().backward()
            optimizer.step()
        return [parameter._version for parameter in net.parameters()]

    with Tracer():
        traced = versions()
    assert traced == versions()

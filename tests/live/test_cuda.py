"""The tracer on a GPU: the same places, the same bits."""

from pathlib import Path
from textwrap import dedent

import pytest
import torch

from autograd_lint.live.tracing import Tracer
from tests.live.programs import Run
from tests.live.test_three_places import PROGRAMS

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")


def on_gpu(source: str) -> str:
    head = 'import torch\n        torch.set_default_device("cuda")'
    return source.replace("import torch", head, 1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_three_places(name: str, traced: Run) -> None:
    assert traced(on_gpu(PROGRAMS[name])).rows() == {"saved": 4, "modified": 5, "needed": 6}


def test_foreach_optimizer_counts_versions_as_without_the_tracer(tmp_path: Path) -> None:
    def versions(tracer: Tracer | None) -> list[int]:
        torch.manual_seed(0)
        net = torch.nn.Linear(4, 4).cuda()
        optimizer = torch.optim.Adam(net.parameters(), foreach=True)
        for _ in range(3):
            net(torch.ones(2, 4, device="cuda")).sum().backward()
            optimizer.step()
        return [parameter._version for parameter in net.parameters()]

    with Tracer() as tracer:
        traced = versions(tracer)
    assert traced == versions(None)


def test_write_through_data_is_told(traced: Run) -> None:
    run = traced(
        dedent(
            """
            import torch
            h = torch.zeros(3, device="cuda", requires_grad=True).sigmoid()
            h.data.add_(1)
            h.sum().backward()
            """
        )
    )
    assert run.rows() == {"saved": 2, "modified": 3, "needed": 4}

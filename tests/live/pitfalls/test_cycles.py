"""Gradients that keep their own graph: told where they are used or left so, quiet else."""

from pathlib import Path

import pytest

from autograd_lint.live.findings import findings_of
from tests.live.programs import Traced

HEAD = """
import torch
torch.manual_seed(0)
net = torch.nn.Linear(2, 1)
x = torch.ones(4, 2)
"""

LEFT = {
    "at the end": """
        net(x).pow(2).sum().backward(create_graph=True)  # here
        curvature = sum((p.grad**2).sum() for p in net.parameters()).item()
        """,
    "to an optimizer of torch": """
        opt = torch.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(4):
            opt.zero_grad(set_to_none=False)
            net(x).pow(2).sum().backward(create_graph=True)  # here
            opt.step()
        """,
}
LET_GO = {
    "set to None after use": """
        net(x).pow(2).sum().backward(create_graph=True)
        curvature = sum((p.grad**2).sum() for p in net.parameters()).item()
        net.zero_grad()
        """,
    "differentiated, then cleared": """
        opt = torch.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(4):
            net(x).pow(2).sum().backward(create_graph=True)
            penalty = sum((p.grad**2).sum() for p in net.parameters())
            opt.zero_grad()
            penalty.backward()
            opt.step()
            opt.zero_grad()
        """,
    "an optimizer that differentiates them": """
        class Newton(torch.optim.Optimizer):
            def step(self, closure=None):
                for group in self.param_groups:
                    for p in group["params"]:
                        (slope,) = torch.autograd.grad(p.grad.sum(), p, retain_graph=True)
                        with torch.no_grad():
                            p -= 0.1 * p.grad / (slope.abs() + 1)
        opt = Newton(net.parameters(), {})
        for _ in range(4):
            opt.zero_grad()
            net(x).pow(2).sum().backward(create_graph=True)
            opt.step()
        opt.zero_grad()
        """,
    "asked of `grad`": """
        slopes = torch.autograd.grad(net(x).pow(2).sum(), [*net.parameters()], create_graph=True)
        sum((slope**2).sum() for slope in slopes).backward()
        """,
}


def traced(source: str, folder: Path) -> Traced:
    return Traced(HEAD + "".join(line[8:] for line in source.splitlines(True)), folder, ended=True)


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("name", LEFT)
def test_a_gradient_that_keeps_its_graph_is_told_once(name: str, tmp_path: Path) -> None:
    run = traced(LEFT[name], tmp_path)
    lines = run.file.read_text().splitlines()
    (row,) = (row for row, line in enumerate(lines, 1) if line.endswith("# here"))
    found = findings_of(run.tracer.faults)
    assert [(one.name, one.place.row) for one in found] == [("gradient-keeps-graph", row)]


@pytest.mark.filterwarnings("always:Using backward")
@pytest.mark.parametrize("name", LET_GO)
def test_a_gradient_that_is_let_go_is_not_told(name: str, tmp_path: Path) -> None:
    run = traced(LET_GO[name], tmp_path)
    assert run.error is None
    assert run.tracer.faults == []

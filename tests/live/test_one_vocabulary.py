"""The abstract engine and the real one tell the same events of the same program."""

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import Fault
from autograd_lint.project.source import Source
from tests.live.programs import Traced

PROGRAMS = {
    "result overwritten": """
        import torch
        x = torch.ones(3, requires_grad=True)
        h = torch.sigmoid(x)
        h += 1
        h.sum().backward()
        """,
    "factor overwritten through a view": """
        import torch
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        y = x * c
        c[0] = 2
        y.sum().backward()
        """,
    "twice modified": """
        import torch
        h = torch.ones(3, requires_grad=True).exp()
        h.mul_(2)
        h.add_(1)
        h.sum().backward()
        """,
    "through detach": """
        import torch
        h = torch.ones(3, requires_grad=True).tanh()
        h.detach().zero_()
        h.sum().backward()
        """,
    "index modified": """
        import torch
        x, i = torch.ones(3, requires_grad=True), torch.tensor([0, 1])
        y = x[i]
        i += 1
        y.sum().backward()
        """,
    "optimizer between": """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = net(torch.ones(1, 2)).sum()
        loss.backward(retain_graph=True)
        opt.step()
        loss.backward()
        """,
    "backward twice": """
        import torch
        h = torch.ones(3, requires_grad=True).exp()
        h.sum().backward()
        h.mean().backward()
        """,
    "state carried over": """
        import torch
        w, state = torch.ones(1, requires_grad=True), torch.ones(1)
        for _ in range(3):
            state = state * w
            state.sum().backward()
        """,
    "grad after grad": """
        import torch
        x = torch.ones(3, requires_grad=True)
        y = (x ** 3).sum()
        torch.autograd.grad(y, x)
        torch.autograd.grad(y, x)
        """,
    "leaf modified": """
        import torch
        w = torch.ones(3, requires_grad=True)
        w += 1
        """,
    "view of a leaf modified": """
        import torch
        w = torch.ones(3, requires_grad=True)
        w[0] = 1
        """,
    "one of several views modified": """
        import torch
        first, second = (torch.ones(4, requires_grad=True) * 2).chunk(2)
        first.mul_(2)
        """,
    "detached root": """
        import torch
        loss = torch.ones(3, requires_grad=True).sum().detach()
        loss.backward()
        """,
    "written by out=": """
        import torch
        x, c = torch.ones(3, requires_grad=True), torch.ones(3)
        y = x * c
        torch.add(torch.ones(3), 1, out=c)
        y.sum().backward()
        """,
    "written under no_grad": """
        import torch
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        with torch.no_grad():
            w -= 0.1
        loss.backward()
        """,
    "written in a loop": """
        import torch
        w, buffer = torch.ones(1, requires_grad=True), torch.zeros(3)
        loss = 0
        for step in range(3):
            buffer[step] = step
            loss = loss + (w * buffer).sum()
        loss.backward()
        """,
    "written in a function": """
        import torch
        def scale(tensor):
            tensor.mul_(2)
        h = torch.ones(3, requires_grad=True).exp()
        scale(h)
        h.sum().backward()
        """,
    "kept graph, freed later": """
        import torch
        h = torch.ones(3, requires_grad=True).exp()
        h.sum().backward(retain_graph=True)
        h.sum().backward()
        h.sum().backward()
        """,
    "graph of a grad": """
        import torch
        x = torch.ones(3, requires_grad=True)
        y = (x ** 3).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        g.sum().backward()
        g.sum().backward()
        """,
    "vector root": """
        import torch
        loss = torch.ones(3, requires_grad=True) * 2
        loss.backward()
        """,
}


@dataclass(frozen=True)
class Told:
    """What a fault says that both engines know: kind, rows of the events, writes since the save.

    Versions themselves differ: initialising a parameter counts on the real engine.
    """

    kind: str
    row: int | None
    saved: int | None
    modified: int | None
    writes: int | None
    freed: int | None
    needed: int | None


def told(fault: Fault) -> Told:
    saved, modified, freed, needed = fault.saved, fault.modified, fault.freed, fault.needed
    return Told(
        fault.kind.value,
        fault.place.row if fault.place else None,
        saved.place.row if saved and saved.place else None,
        modified.place.row if modified and modified.place else None,
        modified.version - saved.version if saved and modified else None,
        freed.place.row if freed and freed.place else None,
        needed.place.row if needed and needed.place else None,
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_event_by_event(name: str, tmp_path: Path) -> None:
    text = dedent(PROGRAMS[name]).lstrip()
    run = Traced(text, tmp_path)
    assert run.error is not None
    (abstract,) = analyse(Source(str(run.file), text))
    assert told(abstract) == told(run.fault)

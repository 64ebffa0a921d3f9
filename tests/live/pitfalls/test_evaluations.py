"""Graphs that are built to be read: what it costs to look at many, and what stays quiet then."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from autograd_lint.live import graph
from autograd_lint.live.findings import findings_of
from tests.live.programs import Traced

GROWING = """
    import torch
    net = torch.nn.Linear(1, 1)
    state = torch.ones(1, 1)
    for step in range(500):
        state = state + net(state).tanh()
        if state.isnan().any():
            break
    """

LEFT_LATE = """
    import torch
    net, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    x, opt = torch.ones(1, 2), torch.optim.SGD(net.parameters(), lr=0.1)
    def numbers(tensor):
        return tensor.detach().numpy()
    for step in range(4):
        for _ in range(100):
            numbers(other(x))
        scores = net(x)
        choice = scores.argmax().item()
        numbers(scores)
        fit(net(x)[0, choice].square())
    """


def test_a_graph_that_grows_is_not_walked_through_whenever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = []
    original = graph.nodes_below

    def nodes_below(roots: Iterable[Any]) -> list[Any]:
        walked.append(1)
        return original(roots)

    monkeypatch.setattr(graph, "nodes_below", nodes_below)
    Traced(GROWING, tmp_path)
    assert len(walked) < 50


def test_what_is_left_after_many_other_graphs_is_read_on_purpose(tmp_path: Path) -> None:
    traced = Traced(LEFT_LATE, tmp_path, ended=True)
    assert findings_of(traced.tracer.faults) == []

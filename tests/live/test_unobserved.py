"""Calls that nobody observes: failures are explained, and rounds that are alike cost no walk."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from autograd_lint.live import graph
from tests.live.programs import Traced

# Two losses a round; in the sixth the second one leads into the graph of the first one's.
TWO_LOSSES = """
    import torch
    one = torch.ones(3, requires_grad=True)
    two = torch.ones(3, requires_grad=True)
    for step in range(6):
        first = one.exp()
        first.sum().backward()
        second = two.exp()
        if step == 5:
            second = second * first
        second.sum().backward()
    """

# A state that the second call of each round leads to, made before the first.
OLDER_NODES = """
    import torch
    one = torch.ones(3, requires_grad=True)
    two = torch.ones(3, requires_grad=True)
    for step in range(6):
        fake = one.exp()
        (two.exp() * fake.detach()).sum().backward()
        fake.sum().backward()
        if step == 5:
            fake.sum().backward()
    """

KEPT = """
    import torch
    one = torch.ones(3, requires_grad=True)
    for step in range(6):
        loss = one.exp().sum()
        loss.backward(retain_graph=step < 5)
    loss.backward()
    """


@pytest.mark.parametrize(
    ("source", "freed", "needed"), [(TWO_LOSSES, 6, 10), (OLDER_NODES, 7, 9), (KEPT, 5, 6)]
)
def test_the_call_that_freed_a_graph_is_named(
    source: str, freed: int, needed: int, tmp_path: Path
) -> None:
    rows = Traced(source, tmp_path, backward_calls=0).rows()
    assert (rows["freed"], rows["needed"]) == (freed, needed)


ROUNDS = """
    import torch
    one = torch.ones(3, requires_grad=True)
    for step in range(50):
        one.exp().sum().backward()
    """


def test_rounds_that_are_alike_are_not_walked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = []
    original = graph.nodes_below

    def nodes_below(roots: Iterable[Any]) -> list[Any]:
        walked.append(1)
        return original(roots)

    monkeypatch.setattr(graph, "nodes_below", nodes_below)
    Traced(ROUNDS, tmp_path, backward_calls=0)
    assert len(walked) <= 2


HIDDEN = """
    import torch
    one = torch.ones(3, requires_grad=True)
    held = torch.ones(3)
    loss = (one * held).sum()
    held.data.mul_(3)
    one.sum().backward()
    loss.backward()
    """


def test_what_was_written_while_it_was_observed_is_still_judged(tmp_path: Path) -> None:
    run = Traced(HIDDEN, tmp_path, backward_calls=1)
    assert run.rows() == {"saved": 4, "modified": 5, "needed": 7}


# An array that the program fills anew in each round, before a graph saves it.
REFILLED = """
    import numpy, torch
    one = torch.ones(3, requires_grad=True)
    array = numpy.ones(3, dtype=numpy.float32)
    held = torch.from_numpy(array)
    for step in range(6):
        array[:] = step
        (one * held).sum().backward()
    """


def test_arrays_are_looked_at_no_longer(tmp_path: Path) -> None:
    assert Traced(REFILLED, tmp_path, backward_calls=2).tracer.faults == []

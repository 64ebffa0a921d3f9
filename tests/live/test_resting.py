"""Where operators are not observed for a while: what is found, what is not, and what runs on."""

from pathlib import Path

import pytest
import torch

from autograd_lint.live import attention
from autograd_lint.live.tracing import Tracer
from tests.live.programs import Traced

CALLS = 30

LOOP = """
    import torch
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(40):
        optimizer.zero_grad()
        net(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    """


def test_most_rounds_of_a_loop_are_not_observed(tmp_path: Path) -> None:
    run = Traced(LOOP, tmp_path, CALLS, ended=True)
    rounds, observed = run.tracer.rounds
    assert (rounds, run.tracer.faults, run.tracer.unseen) == (40, [], {})
    assert observed < 10


def test_the_whole_run_is_observed_where_that_is_asked_for(tmp_path: Path) -> None:
    assert not Traced(LOOP, tmp_path, -1).tracer.has_rested


# In the thirtieth round a line writes that has not run before.
LATE = """
    import torch
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(40):
        optimizer.zero_grad()
        out = net(torch.ones(3, 2)).exp()
        if step == 30:
            out.mul_(2)
        out.sum().backward()
        optimizer.step()
    """


def test_an_error_in_a_round_that_is_not_observed_names_what_saved_the_tensor(
    tmp_path: Path,
) -> None:
    rows = Traced(LATE, tmp_path, CALLS).rows()
    assert (rows["saved"], rows["needed"]) == (6, 9)


# A stage of its own after a loop: its calls are at new places.
STAGES = """
    import torch
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(20):
        optimizer.zero_grad()
        net(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    other = torch.nn.Linear(2, 1)
    out = other(torch.ones(3, 2)).exp()
    out.mul_(2)
    out.sum().backward()
    """


def test_a_new_parameter_lets_operators_be_observed_again(tmp_path: Path) -> None:
    assert Traced(STAGES, tmp_path, CALLS).rows() == {"saved": 9, "modified": 10, "needed": 11}


NUMBERS = """
    import numpy, torch
    for step in range(3000):
        sample = torch.from_numpy(numpy.ones(3)).float()
        float(sample.sum())
    leaf = torch.nn.Parameter(torch.ones(3))
    out = leaf.exp()
    out.mul_(2)
    out.sum().backward()
    """


def test_after_samples_a_graph_is_observed(tmp_path: Path) -> None:
    run = Traced(NUMBERS, tmp_path, CALLS)
    assert run.rows() == {"saved": 6, "modified": 7, "needed": 8}
    assert run.tracer.has_rested


STALE = """
    import torch
    leaf = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([leaf], lr=0.1)
    for step in range(40):
        leaf.exp().sum().backward()
        optimizer.step()
    """


def test_gradients_that_are_never_cleared_are_told(tmp_path: Path) -> None:
    faults = Traced(STALE, tmp_path, CALLS).tracer.faults
    assert [fault.place and fault.place.row for fault in faults] == [5]


UNREACHED = """
    import torch
    one, two = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([one, two], lr=0.1)
    for step in range(40):
        optimizer.zero_grad()
        cut = two.exp().detach() if step < 20 else two.exp()
        (one.exp() * cut).sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    """


def test_a_leaf_that_a_later_round_reaches_is_not_said_to_get_nothing(tmp_path: Path) -> None:
    assert Traced(UNREACHED, tmp_path, CALLS, ended=True).tracer.faults == []


# An array that the program fills anew in each round, before a graph saves it.
REFILLED = """
    import numpy, torch
    leaf = torch.ones(3, requires_grad=True)
    array = numpy.ones(3, dtype=numpy.float32)
    held = torch.from_numpy(array)
    for step in range(40):
        array[:] = step
        (leaf * held).sum().backward()
        leaf.grad = None
    """


def test_arrays_that_rounds_fill_are_no_hidden_writes(tmp_path: Path) -> None:
    assert Traced(REFILLED, tmp_path, CALLS).tracer.faults == []


# Inference mode puts back what modes have set: the recorder stays as it is inside.
INFERENCE = """
    import torch
    leaf = torch.ones(3, requires_grad=True)
    def forward(x):
        return (x * 2).exp()
    for step in range(30):
        with torch.inference_mode(step % 2 == 0):
            for _ in range(40):
                torch.ones(3).exp()
        torch.func.vmap(forward)(torch.ones(4, 3))
        leaf.exp().sum().backward()
        leaf.grad = None
    """


@pytest.mark.parametrize("source", [LOOP, LATE, STAGES, INFERENCE, UNREACHED, REFILLED])
def test_a_recorder_that_rests_at_once_finds_nothing_else(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_OPERATORS", 30), ("_CALM", 1), ("_PAUSE", 1)):
        monkeypatch.setattr(attention, name, value)
    whole = Traced(source, tmp_path, -1, ended=True).tracer
    rested = Traced(source, tmp_path, CALLS, ended=True).tracer
    assert rested.has_rested
    assert {fault.kind for fault in rested.faults} <= {fault.kind for fault in whole.faults}
    assert rested.unseen == {}


def test_a_tracer_that_is_told_nothing_observes_as_much_as_the_command() -> None:
    weight = torch.ones(2, requires_grad=True)
    with Tracer() as tracer:
        for _ in range(40):
            weight.exp().sum().backward()
    rounds, observed = tracer.rounds
    assert rounds == 40
    assert observed < 10

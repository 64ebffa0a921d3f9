"""States of several times that are one memory."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "an environment that overwrites its array": """
    import numpy
    seen = numpy.zeros(2, dtype=numpy.float32)
    for turn in range(4):
        states = []
        for _ in range(4):
            seen[:] = numpy.random.rand(2)
            states.append(torch.from_numpy(seen))  # here
        fit(net(torch.stack(states)).square().mean())
    """,
}

RIGHT = {
    "copies of the array": """
    import numpy
    seen = numpy.zeros(2, dtype=numpy.float32)
    for turn in range(4):
        states = []
        for _ in range(4):
            seen[:] = numpy.random.rand(2)
            states.append(torch.from_numpy(seen.copy()))
        fit(net(torch.stack(states)).square().mean())
    """,
    "a constant array": """
    import numpy
    mask = numpy.ones(2, dtype=numpy.float32)
    for turn in range(4):
        masks = [torch.from_numpy(mask) for _ in range(4)]
        fit((net(x) * torch.stack(masks).sum()).square().mean())
    """,
    "arrays of their own": """
    import numpy
    for turn in range(4):
        seen = [numpy.full(2, float(turn), dtype=numpy.float32) for _ in range(4)]
        fit(net(torch.stack([torch.from_numpy(one) for one in seen])).square().mean())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_states_that_are_stacked_and_are_one_memory_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("state-overwritten", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_stacked_and_was_copied_or_never_changes_is_quiet(
    name: str, tmp_path: Path
) -> None:
    assert told(RIGHT[name], tmp_path) == []

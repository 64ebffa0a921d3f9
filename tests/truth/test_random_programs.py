"""The abstract engine and the real one agree on random programs."""

import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings

from tests.truth.generate import generate
from tests.truth.judging import compare, numbered
from tests.truth.programs import Program, programs
from tests.truth.real import run


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("seed", range(10))
def test_engines_agree_on_generated_programs(seed: int) -> None:
    different = [
        f"{numbered(program)}\n{found.sort}\n{found.detail}\n"
        for program, verdict in generate(100, seed)
        if (found := compare(program, verdict))
    ]
    assert not different, "\n\n".join(different)


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs(4))
def test_engines_agree_on_drawn_programs(program: Program) -> None:
    verdict = run(program.text, program.parts)
    assume(verdict.valid)
    found = compare(program, verdict)
    assert not found, f"{found.sort}\n{found.detail}\n{numbered(program)}"

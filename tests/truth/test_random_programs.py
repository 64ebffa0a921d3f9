"""The abstract engine and the real one agree on random programs."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings

from tests.truth.generate import generate
from tests.truth.judging import Disagreement, compare, numbered
from tests.truth.programs import Program, programs
from tests.truth.real import Verdict, run

# What was reached; it may rise, never fall. What is left is told by `benchmarks.agreement`.
AGREEMENT = 0.99


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def told(program: Program, found: Disagreement) -> str:
    """A disagreement to be read."""
    return f"{numbered(program)}\n{found.sort}\n{found.detail}\n"


@pytest.fixture(scope="module")
def judged() -> list[tuple[Program, Verdict, Disagreement | None]]:
    return [(p, v, compare(p, v)) for seed in range(10) for p, v in generate(100, seed)]


def test_engines_agree(judged: list[tuple[Program, Verdict, Disagreement | None]]) -> None:
    different = [told(program, found) for program, _, found in judged if found]
    assert len(different) <= (1 - AGREEMENT) * len(judged), "\n\n".join(different)


def test_no_program_without_error_is_flagged_for_certain(
    judged: list[tuple[Program, Verdict, Disagreement | None]],
) -> None:
    wrong = [
        told(program, found)
        for program, verdict, found in judged
        if found and found.sort in ("false-certain", "crash") and not verdict.kind
    ]
    assert not wrong, "\n\n".join(wrong)


@settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs(4))
def test_no_drawn_program_is_flagged_for_what_does_not_come(program: Program) -> None:
    verdict = run(program.text, program.files)
    assume(verdict.valid)
    found = compare(program, verdict)
    assert not found or found.sort not in ("false-certain", "crash") or verdict.kind, told(
        program, found
    )

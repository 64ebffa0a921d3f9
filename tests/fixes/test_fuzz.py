"""Damaged programs and notebooks: no crash, no hang, no fix that harms."""

from pathlib import Path

import pytest
from benchmarks.fuzz import corpus, trials

PROGRAMS = corpus(Path(__file__).parents[2] / "fixtures")


@pytest.mark.parametrize("seed", range(5))
def test_damaged_programs_and_notebooks(seed: int) -> None:
    made = trials(PROGRAMS, 80, 20, seed)
    wrong = [(trial.data, told) for trial in made if (told := trial.complaint())]
    assert wrong == []
    assert made[0].tally["fixed"] > 0

"""Wrong programs of others: what is told of them stays told, and their correct twins are quiet."""

from pathlib import Path

import pytest
from benchmarks.programs_of_others import FIXTURES, RAISING, SILENT, cases, told

CASES = [case for folder in (SILENT, RAISING) for case in cases(folder)]
WRONG = [case for case in CASES if (case / "bad.py").exists()]


def listed(name: str) -> set[Path]:
    """The cases in lists of that name."""
    return {
        folder / line
        for folder in (SILENT, RAISING)
        for line in (folder / name).read_text(encoding="utf-8").split()
    }


def name_of(case: Path) -> str:
    return case.relative_to(FIXTURES).as_posix()


ALARMS, MISSED = listed("alarms.txt"), listed("missed.txt")
QUIET = [case for case in CASES if case not in ALARMS]
TOLD = [case for case in WRONG if case not in MISSED]


@pytest.mark.parametrize("case", QUIET, ids=name_of)
def test_a_correct_program_is_quiet(case: Path) -> None:
    assert told(case / "good.py") == []


@pytest.mark.parametrize("case", TOLD, ids=name_of)
def test_a_wrong_program_is_told(case: Path) -> None:
    assert told(case / "bad.py")

"""Programs of others that train wrongly and raise nothing: what is told of them stays told, and
their correct twins are quiet."""

from pathlib import Path

import pytest
from benchmarks.silent_programs import FOLDER, cases, told

CASES = [case.relative_to(FOLDER) for case in cases(FOLDER)]
MISSED = set((FOLDER / "missed.txt").read_text(encoding="utf-8").split())
ALARMS = set((FOLDER / "alarms.txt").read_text(encoding="utf-8").split())
WRONG = [case for case in CASES if (FOLDER / case / "bad.py").exists()]


@pytest.mark.parametrize("case", [one for one in CASES if str(one) not in ALARMS], ids=str)
def test_a_correct_program_is_quiet(case: Path) -> None:
    assert told(FOLDER / case / "good.py") == []


@pytest.mark.parametrize("case", [one for one in WRONG if str(one) not in MISSED], ids=str)
def test_a_program_that_trains_wrongly_is_told(case: Path) -> None:
    assert told(FOLDER / case / "bad.py")

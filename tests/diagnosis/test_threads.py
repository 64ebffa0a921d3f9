"""Users' questions, re-created as programs, with what torch 2.13 printed of each."""

import re
from pathlib import Path

import pytest

from autograd_lint.diagnosis.diagnosing import Request, diagnose

THREADS = Path(__file__).parents[2] / "fixtures" / "threads"
PROGRAMS = sorted(THREADS.glob("*.py"))


def rows_told(program: Path, text: str, most: int) -> set[int]:
    """The rows that the first candidates point at, and those beside them."""
    diagnosis = diagnose(Request(text, [program], jobs=1))
    assert diagnosis is not None
    found = [one.finding for one in diagnosis.ranked.candidates[:most]]
    places = [place for one in found for place in (one.place, *(o.place for o in one.related))]
    return {row for place in places for row in range(place.row - 1, place.end_row + 2)}


def rows_wanted(program: Path) -> set[int]:
    """The line that the accepted answer changes, and others that an expert would accept."""
    head = dict(re.findall(r"(?m)^# (\w+): (.*)$", program.read_text()))
    also = head.get("also_line", "").split(", ")
    return {int(row) for row in (head["cause_line"], *also) if row}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_traceback_leads_to_the_line(program: Path) -> None:
    text = program.with_suffix(".txt").read_text()
    assert rows_told(program, text, 1) & rows_wanted(program)


@pytest.mark.parametrize("program", PROGRAMS[::4], ids=lambda path: path.stem)
def test_the_last_line_leads_to_the_line(program: Path) -> None:
    text = program.with_suffix(".txt").read_text().strip().splitlines()[-1]
    assert rows_told(program, text, 3) & rows_wanted(program)

"""The programs with known truth in `fixtures/cases` are judged right."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from benchmarks.claims import claims
from benchmarks.corpora import (
    Case,
    judge_clean,
    judge_error,
    judge_folder,
    judge_silent,
)

CASES = Path(__file__).parents[2] / "fixtures" / "cases"

# The shares that were reached; they may rise, never fall.
ERRORS_FORESEEN = 0.8
SILENT_SEEN = 0.55


def wrong(cases: Iterable[Case]) -> str:
    """The cases judged wrong, a paragraph each."""
    paragraphs = [
        "\n    ".join([f"{c.corpus} {c.name}: expected {c.expected}", *c.claimed])
        for c in cases
        if not c.right
    ]
    return "\n".join(paragraphs)


@pytest.mark.parametrize("folder", sorted(CASES.glob("seed_*")), ids=lambda path: path.name)
def test_seed_is_judged_right(folder: Path) -> None:
    assert not wrong(judge_folder(folder, claims))


@pytest.mark.parametrize(
    "path", sorted((CASES / "engine" / "ok").glob("*.py")), ids=lambda p: p.stem
)
def test_correct_program_is_not_flagged(path: Path) -> None:
    assert not wrong([judge_clean("engine/ok", path, claims, "ok")])


def test_share_of_errors_foreseen() -> None:
    cases = [
        judge_error(path, claims) for path in sorted((CASES / "engine" / "errors").glob("*.py"))
    ]
    assert sum(case.right for case in cases) >= ERRORS_FORESEEN * len(cases), wrong(cases)


def test_share_of_silent_pitfalls_seen() -> None:
    cases = [
        judge_silent(path, claims) for path in sorted((CASES / "engine" / "silent").glob("*.py"))
    ]
    assert sum(case.right for case in cases) >= SILENT_SEEN * len(cases), wrong(cases)


def test_no_analysis_crashes() -> None:
    paths = sorted((CASES / "engine").glob("*/*.py"))
    crashed = [claim.text for path in paths for claim in claims(path) if claim.kind == "crash"]
    assert not crashed

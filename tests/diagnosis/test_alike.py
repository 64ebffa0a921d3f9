"""Candidates that are alike: the first of them are of different functions and statements."""

from pathlib import Path

import pytest

from autograd_lint.diagnosis.diagnosing import Diagnosis, Request, diagnose

LEAF = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."


@pytest.fixture
def told(tmp_path: Path) -> Diagnosis:
    """The diagnosis of a message in a project that writes arguments."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.py").write_text(
        "import torch\n\n\ndef f(x, y):\n    x += y.sin()\n    x -= y.cos()\n    x *= y.exp()\n"
    )
    for name in ("b.py", "c.py"):
        (tmp_path / name).write_text("import torch\n\n\ndef g(z):\n    z.mul_(z.sum() + 2)\n")
    diagnosis = diagnose(Request(LEAF, [tmp_path], jobs=1))
    assert diagnosis is not None
    return diagnosis


def test_further_statements_of_a_function_come_after_other_functions(told: Diagnosis) -> None:
    places = [one.finding.place for one in told.ranked.candidates]
    assert [(Path(one.filename).name, one.row) for one in places[:2]] == [("a.py", 5), ("b.py", 5)]


def test_a_statement_that_stands_in_several_files_is_told_once(told: Diagnosis) -> None:
    found = next(one.finding for one in told.ranked.candidates if "b.py" in str(one.finding.place))
    assert [Path(one.place.filename).name for one in found.related] == ["c.py"]
    assert not any("c.py" in one.finding.place.filename for one in told.ranked.candidates)


def test_probabilities_follow_the_order(told: Diagnosis) -> None:
    probabilities = [one.probability for one in told.ranked.candidates]
    assert probabilities == sorted(probabilities, reverse=True)

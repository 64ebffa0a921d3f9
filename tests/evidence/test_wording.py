"""The sentences of assumptions: nothing that is found hangs on how they are worded."""

from pathlib import Path

import pytest

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.config import Settings
from autograd_lint.engine.assumptions import Assumption, Condition, Kind
from autograd_lint.evidence import wording
from autograd_lint.evidence.wording import SENTENCES, worded
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

CASES = Path(__file__).parents[2] / "fixtures" / "cases"
PLACE = Place("a.py", 3, 8, 3, 14)


def test_every_kind_has_a_sentence() -> None:
    assert {kind for kind in Kind if kind not in SENTENCES} == {
        Kind.CONDITION,
        Kind.CONDITION_BY_DEFAULT,
    }


def test_no_two_kinds_are_told_alike() -> None:
    assert len(set(SENTENCES.values())) == len(SENTENCES)


def test_a_sentence_names_what_an_assumption_is_about() -> None:
    assert worded(Assumption(Kind.REQUIRES_GRAD, "batch[0]")) == "`batch[0]` requires grad"


@pytest.mark.parametrize(("holds", "outcome"), [(True, "holds"), (False, "does not hold")])
def test_a_condition_is_told_with_its_line(holds: bool, outcome: str) -> None:
    assumption = Assumption(Kind.CONDITION, condition=Condition("a < b", PLACE, holds))
    assert worded(assumption) == f"`a < b` {outcome} in line 3"


def test_other_sentences_change_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted(CASES.rglob("*.py"))[::5]
    before = [_found(path) for path in paths]
    monkeypatch.setattr(wording, "SENTENCES", dict.fromkeys(SENTENCES, "something is so"))
    assert [_found(path) for path in paths] == before
    assert any(before)


def _found(path: Path) -> list[tuple[object, ...]]:
    """The findings in a file, without their sentences."""
    source = Source(str(path), path.read_text())
    return [
        (one.code, one.place, one.certainty, one.message, one.related)
        for one in Checker(Settings(), Project.alone()).source(source).findings
    ]

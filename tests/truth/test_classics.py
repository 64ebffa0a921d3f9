"""What is told of the questions that users ask most is what was answered, and the fixes run."""

import traceback
from collections.abc import Iterator
from functools import partial

import pytest
import torch

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.config import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.project.modules import Project
from tests.truth.classics import Classic, classics

NAME = "asked.py"
ALL = [pytest.param(one, id=one.path.stem) for one in classics()]
FIXED = [pytest.param(one, id=one.path.stem) for one in classics() if "fix" in one.head]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Programs may leave grad mode off, and draw the same numbers each time."""
    torch.manual_seed(0)
    with torch.enable_grad():
        yield


def checker() -> Checker:
    return Checker(Settings(certainty=Certainty.LIKELY), Project.alone())


def found(text: str) -> tuple[Finding, ...]:
    return checker().data(text.encode(), NAME).findings


def raised(text: str) -> str:
    """How a program ends on the real engine, empty where it runs through."""
    try:
        with torch.enable_grad():
            exec(compile(text, NAME, "exec"), {"__name__": "__main__"})
    except Exception:
        return traceback.format_exc(-1)
    return ""


def test_there_are_enough_questions() -> None:
    assert len(ALL) >= 60


@pytest.mark.parametrize("asked", ALL)
def test_the_line_and_the_help_are_those_of_the_answer(asked: Classic) -> None:
    findings = found(asked.text)
    assert [(one.code, one.place.row) for one in findings] == [(asked.head["code"], asked.row)]
    assert asked.head["help"] in findings[0].help


@pytest.mark.parametrize("asked", ALL)
def test_the_program_fails_and_the_answer_does_not(asked: Classic) -> None:
    assert raised(asked.text)
    assert raised(asked.answered) == ""
    assert found(asked.answered) == ()


@pytest.mark.parametrize("asked", ALL)
def test_a_fix_is_offered_where_it_is_said(asked: Classic) -> None:
    assert any(one.fix for one in found(asked.text)) == ("fix" in asked.head)


@pytest.mark.parametrize("asked", FIXED)
def test_the_fixed_program_runs_and_checks_clean(asked: Classic) -> None:
    again = partial(checker().again, NAME)
    fixed = apply(asked.text.encode(), NAME, found(asked.text), again, unsafe=True).data.decode()
    assert raised(fixed) == ""
    assert found(fixed) == ()

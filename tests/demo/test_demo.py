"""The programs that the README lints: what is predicted of them is what happens to them."""

import runpy
import sys
import traceback
from pathlib import Path

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.source import Source

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"
EXPECTED = {
    "autoencoder.py": [],
    "char_rnn.py": ["AG202"],
    "gan.py": ["AG105"],
    "linear_regression.py": ["AG101", "AG101"],
    "residual_block.py": ["AG103"],
}


def raised_at(path: Path) -> int | None:
    """The row of the program at which the real engine raises, None where it runs through."""
    try:
        runpy.run_path(str(path), run_name="__main__")
    except RuntimeError:
        frames = traceback.extract_tb(sys.exc_info()[2])
        return [frame.lineno for frame in frames if frame.filename == str(path)][-1]
    return None


def test_every_program_has_its_expectation() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in DEMO.glob("*.py"))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_expected_is_found(name: str) -> None:
    path = DEMO / name
    found = check_source(Source(str(path), path.read_text()), Settings())
    assert [finding.code for finding in found] == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.filterwarnings("ignore")
def test_the_real_engine_raises_where_predicted(name: str) -> None:
    path = DEMO / name
    found = check_source(Source(str(path), path.read_text()), Settings())
    predicted = [finding.predicts.row for finding in found if finding.predicts]
    # The program ends at the first error; the next ones are those of the program with it fixed.
    assert predicted[:1] == [row for row in [raised_at(path)] if row is not None]

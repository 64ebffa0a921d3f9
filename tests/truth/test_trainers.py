"""Training programs as people write them: they run on torch, and nothing is said about them."""

import runpy
from pathlib import Path

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.source import Source

TRAINERS = sorted((Path(__file__).parents[2] / "fixtures" / "trainers").glob("*.py"))


@pytest.mark.parametrize("path", TRAINERS, ids=lambda path: path.stem)
def test_a_program_that_trains_as_it_should(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")
    text = path.read_text(encoding="utf-8")
    assert check_source(Source(path.name, text), Settings()) == []

"""Texts of errors as they arrive: cut, wrapped, prefixed, mixed up, with nothing left of them."""

import random
from pathlib import Path

import pytest
from benchmarks.diagnosing.texts import mutated
from click.testing import CliRunner

from autograd_lint.cli import app
from autograd_lint.diagnosis.reading import read

THREADS = Path(__file__).parents[2] / "fixtures" / "threads"
PRINTED = [file.read_text() for file in sorted(THREADS.glob("*.txt"))]
SEED, COUNT = 20261124, 2_000


def damaged() -> list[str]:
    chance = random.Random(SEED)
    return [mutated(chance.choice(PRINTED), chance) for _ in range(COUNT)]


def test_damaged_texts_are_read_without_a_crash() -> None:
    understood = sum(read(text) is not None for text in damaged())
    assert understood > COUNT / 2


def test_where_nothing_of_autograd_is_left_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    texts = [text for text in damaged() if text.strip() and read(text) is None]
    answers = [
        CliRunner().invoke(
            app, ["diagnose", "--isolated", str(tmp_path)], input=text, standalone_mode=False
        )
        for text in texts
    ]
    assert {(one.return_value, one.stdout, one.stderr.count("\n")) for one in answers} == {
        (0, "", 1)
    }


@pytest.mark.parametrize("text", ["KeyError: 'loss'", "\x00\x1b[31m", "Killed", "}{" * 5_000])
def test_other_texts_are_not_of_autograd(text: str) -> None:
    assert read(text) is None

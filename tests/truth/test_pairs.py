"""Of two mistakes in one file both are told, and of two correct programs nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.fixed_pairs import trials
from benchmarks.pairs import claimed, drawn, is_told, joined, judge

ENGINE = Path(__file__).parents[2] / "fixtures" / "cases" / "engine"
PAIRS = 150


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    folder = tmp_path_factory.mktemp("alone")
    paths = sorted((ENGINE / "errors").glob("*.py"))
    yield [path for path in paths if is_told(path, claimed(path.read_text(), folder))]


def test_both_mistakes_are_told(mistakes: list[Path], tmp_path: Path) -> None:
    pairs = [judge(*pair, tmp_path) for pair in drawn(mistakes, PAIRS, seed=1)]
    missed = [(pair.first.stem, pair.second.stem) for pair in pairs if not all(pair.told)]
    assert len(missed) <= 0.03 * PAIRS, missed


def test_nothing_is_told_of_two_correct_programs(tmp_path: Path) -> None:
    paths = sorted((ENGINE / "ok").glob("*.py"))
    for one, other in drawn(paths, PAIRS, seed=1):
        text, _ = joined(one.read_text(), other.read_text())
        assert claimed(text, tmp_path) == [], (one.stem, other.stem)


def test_a_fix_leaves_the_other_mistake_told(mistakes: list[Path], tmp_path: Path) -> None:
    tried = [
        (first.stem, second.stem, code, still)
        for first, second in drawn(mistakes, 15, seed=2)
        for code, still in trials(first, second, tmp_path)
    ]
    assert len(tried) > 5
    assert [one for one in tried if not one[-1]] == []

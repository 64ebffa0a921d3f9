"""Parts of the files of a run."""

from pathlib import Path

import pytest

from autograd_lint.checking.shards import Shard, parsed
from autograd_lint.errors import Trouble


@pytest.fixture
def files(tmp_path: Path) -> list[Path | Trouble]:
    paths = [tmp_path / f"{number:02}.py" for number in range(20)]
    for number, path in enumerate(paths):
        path.write_text("x" * (number * 10))
    return [*paths]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20, 50])
def test_each_file_is_in_one_part(files: list[Path | Trouble], count: int) -> None:
    parts = [Shard(number, count).of(files) for number in range(1, count + 1)]
    assert [file for part in parts for file in part] == files


def test_parts_have_about_as_many_bytes(files: list[Path | Trouble]) -> None:
    sizes = []
    for number in (1, 2, 3):
        part = [file for file in Shard(number, 3).of(files) if isinstance(file, Path)]
        sizes.append(sum(file.stat().st_size for file in part))
    assert max(sizes) - min(sizes) <= 2 * 190


def test_their_order_does_not_matter(files: list[Path | Trouble]) -> None:
    assert Shard(2, 3).of(files[::-1]) == Shard(2, 3).of(files)


def test_what_was_not_found_is_told_once(files: list[Path | Trouble]) -> None:
    lost = Trouble("gone.py: no such file")
    found = [Shard(number, 3).of([*files, lost]) for number in (1, 2, 3)]
    assert [lost in part for part in found] == [True, False, False]


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "1/0", "-1/2", "1/2/3", "a/b"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(Trouble, match="write I/N, as 1/4 for the first of four parts"):
        parsed(text)

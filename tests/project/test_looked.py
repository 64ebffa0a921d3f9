"""What was found in the bytes of files, and when it is looked for again."""

from pathlib import Path

from autograd_lint.project.looked import Looked
from autograd_lint.project.source import Source
from autograd_lint.project.sources import Sources


class Counting:
    """Finds the length of a file, and counts how often it was asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, data: bytes) -> int:
        self.times += 1
        return len(data)


def test_a_file_is_looked_at_once_until_it_changes(tmp_path: Path) -> None:
    path, length = tmp_path / "a.py", Counting()
    path.write_text("x = 1\n", encoding="utf-8")
    looked = Looked(Sources({}), {})
    assert looked.of(str(path), length) == looked.of(str(path), length) == 6
    assert looked.renew() == []
    assert (looked.of(str(path), length), length.times) == (6, 1)
    path.write_text("x = 12\n", encoding="utf-8")
    assert looked.of(str(path), length) == 6
    assert looked.renew() == [str(path)]
    assert (looked.of(str(path), length), length.times) == (7, 2)


def test_a_file_that_comes_to_be_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    looked = Looked(Sources({}), {})
    assert looked.of(str(path), len) == 0
    path.write_text("x\n", encoding="utf-8")
    assert looked.renew() == [str(path)]
    assert looked.of(str(path), len) == 2


def test_an_opened_source_is_looked_at_instead_of_its_file(tmp_path: Path) -> None:
    opened: dict[str, Source] = {}
    looked = Looked(Sources(opened), opened)
    for text in ("x = 1\n", "x = 123\n"):
        opened["a.py"] = Source("a.py", text)
        assert looked.renew() == ([] if text == "x = 1\n" else ["a.py"])
        assert looked.of("a.py", len) == len(text)

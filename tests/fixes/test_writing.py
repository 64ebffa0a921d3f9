"""Files are replaced whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from autograd_lint.errors import Trouble
from autograd_lint.fixes import copies
from autograd_lint.fixes.writing import write


def test_a_file_is_replaced_and_keeps_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("old")
    file.chmod(0o750)
    write(str(file), b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old")
    link = tmp_path / "link.py"
    link.symlink_to("a.py")
    write(str(link), b"new")
    assert link.is_symlink()
    assert (tmp_path / "a.py").read_bytes() == b"new"


def test_an_interruption_leaves_the_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(str(file), b"new")
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["a.py"])


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"gone/a\.py: cannot be written"):
        write(str(tmp_path / "gone" / "a.py"), b"new")


def test_nothing_is_beside_a_file_until_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text("old")
    seen: list[list[str]] = []

    def linked(source: str, target: str, **options: bool) -> None:
        seen.append([*os.listdir(tmp_path), Path(source).read_text()])
        raise OSError

    monkeypatch.setattr(os, "link", linked)
    write(str(file), b"new")
    if not seen:
        pytest.skip("this system has no files without a name")
    assert seen == [["a.py", "new"]]
    assert (file.read_text(), os.listdir(tmp_path)) == ("new", ["a.py"])


def test_a_system_without_files_that_have_no_name_has_named_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text("old")
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    write(str(file), b"new")
    assert (file.read_text(), os.listdir(tmp_path)) == ("new", ["a.py"])


def test_a_copy_that_a_killed_run_has_left_is_removed(tmp_path: Path) -> None:
    file, left = tmp_path / "a.py", tmp_path / ".autograd-lint-0123abcd"
    file.write_text("old")
    left.write_text("left")
    write(str(file), b"new")
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_copy_of_a_run_that_lives_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("old")
    with copies.made(str(tmp_path), b"whole", 0o644) as copy:
        write(str(file), b"new")
        assert Path(copy).read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["a.py"]


@pytest.mark.parametrize("name", [".autograd-lint-notes", ".autograd-lint-0123abcd.py", "b.py"])
def test_files_of_others_stay(tmp_path: Path, name: str) -> None:
    file, other = tmp_path / "a.py", tmp_path / name
    file.write_text("old")
    other.write_text("other")
    write(str(file), b"new")
    assert other.read_text() == "other"


def test_a_folder_that_is_named_like_a_copy_stays(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.py", tmp_path / ".autograd-lint-0123abcd"
    file.write_text("old")
    folder.mkdir()
    write(str(file), b"new")
    assert (file.read_text(), folder.is_dir()) == ("new", True)


def test_a_link_that_is_named_like_a_copy_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "a.py", tmp_path / ".autograd-lint-0123abcd"
    file.write_text("old")
    link.symlink_to("a.py")
    write(str(file), b"new")
    assert link.is_symlink()

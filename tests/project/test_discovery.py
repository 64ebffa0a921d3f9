"""Which files are checked."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.configuration.settings import Exclude, Settings
from autograd_lint.errors import Trouble
from autograd_lint.project.discovery import Discovery


def found(
    root: Path, *paths: str, settings: Settings | None = None, force: bool = False
) -> list[str]:
    """The files below `root`, or the lines about what is missing."""
    discovery = Discovery(settings or Settings(root=root), force)
    results = discovery.files([root / path for path in paths or [""]])
    return list(_shown(root, results))


def _shown(root: Path, results: Iterable[Path | Trouble]) -> Iterable[str]:
    for one in results:
        yield str(one) if isinstance(one, Trouble) else one.relative_to(root).as_posix()


def test_python_files_in_sorted_order(tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(("b.py", "a/z.py", "a/stub.pyi", "c.txt"), ""))
    assert found(tmp_path) == ["a/stub.pyi", "a/z.py", "b.py"]


@pytest.mark.parametrize(
    "folder", [".git", ".venv", "venv", "node_modules", "__pycache__", "build"]
)
def test_folders_of_tools_are_left_out(tmp_path: Path, folder: str) -> None:
    write_tree(tmp_path, {f"{folder}/a.py": "", "b.py": ""})
    assert found(tmp_path) == ["b.py"]


def test_a_folder_that_is_named_is_walked(tmp_path: Path) -> None:
    write_tree(tmp_path, {"build/a.py": ""})
    assert found(tmp_path, "build") == ["build/a.py"]


def test_gitignore_is_honoured(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {".gitignore": "gen/\n*_pb.py\n", "gen/a.py": "", "x_pb.py": "", "b.py": ""}
    )
    assert found(tmp_path) == ["b.py"]


def test_a_nested_gitignore_overrides_the_outer(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {".gitignore": "a.py\n", "sub/.gitignore": "!a.py\n", "sub/a.py": "", "a.py": ""}
    )
    assert found(tmp_path) == ["sub/a.py"]


def test_gitignore_above_the_named_folder_counts_within_a_repository(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {".git/HEAD": "", ".gitignore": "/sub/gen\n", "sub/gen/a.py": "", "sub/b.py": ""}
    )
    assert found(tmp_path, "sub") == ["sub/b.py"]


def test_a_line_of_gitignore_that_is_no_pattern_is_passed_over(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "!\na.py\n", "a.py": "", "b.py": ""})
    assert found(tmp_path) == ["b.py"]


def test_a_file_that_is_named_is_checked_even_if_ignored(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "*\n", "script": ""})
    assert found(tmp_path, "script") == ["script"]


def test_each_file_comes_once(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": ""})
    assert found(tmp_path, "a.py", "", "a.py") == ["a.py"]


def test_exclude_leaves_out_files_and_folders(tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(("old/a.py", "test_b.py", "c.py"), ""))
    settings = Settings(
        root=tmp_path, exclude=(Exclude("old/", tmp_path), Exclude("test_*.py", tmp_path))
    )
    assert found(tmp_path, settings=settings) == ["c.py"]


def test_exclude_reaches_named_files_only_when_forced(tmp_path: Path) -> None:
    write_tree(tmp_path, {"old/a.py": ""})
    settings = Settings(root=tmp_path, exclude=(Exclude("old/", tmp_path),))
    assert found(tmp_path, "old/a.py", settings=settings) == ["old/a.py"]
    assert found(tmp_path, "old/a.py", settings=settings, force=True) == []


def test_a_missing_path_is_named_with_a_remedy_and_the_rest_is_found(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": ""})
    missing = tmp_path / "gone.py"
    expected = f"{missing}: no such file or directory; check the path and the working directory"
    assert found(tmp_path, "gone.py", "a.py") == [expected, "a.py"]


def test_a_dangling_link_is_named_with_its_target(tmp_path: Path) -> None:
    os.symlink("nowhere.py", tmp_path / "link.py")
    line = f"{tmp_path / 'link.py'}: dangling link to nowhere.py; fix or remove the link"
    assert found(tmp_path) == [line]
    assert found(tmp_path, "link.py") == [line]


def test_linked_folders_are_not_walked(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/b.py": ""})
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    assert found(tmp_path) == ["a/b.py"]


def test_a_folder_named_like_a_file_is_walked(tmp_path: Path) -> None:
    write_tree(tmp_path, {"x.py/a.py": ""})
    assert found(tmp_path) == ["x.py/a.py"]

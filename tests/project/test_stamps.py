"""Stamps of the files that imports asked for."""

from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.stamps import Stamps

ASKED = ("a.py", "pkg/__init__.py", "pkg/missing.py", "nothing/inner.py", "nothing.py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_tree(tmp_path, {"a.py": "x = 1\n", "pkg/__init__.py": "", "notes.txt": ""})
    return tmp_path


def asked(tree: Path) -> list[str]:
    return [str(tree / name) for name in ASKED]


def test_stamps_hold_while_the_files_are_as_they_were(tree: Path) -> None:
    taken = Stamps().of_all(asked(tree))
    (tree / "more.txt").touch()
    (tree / "pkg" / "__pycache__").mkdir()
    assert Stamps().hold(taken)
    assert Stamps().of_all(asked(tree)) == taken


@pytest.mark.parametrize("name", ["pkg/missing.py", "nothing/inner.py", "nothing.py"])
def test_stamps_do_not_hold_once_a_missing_file_is_there(tree: Path, name: str) -> None:
    taken = Stamps().of_all(asked(tree))
    write_tree(tree, {name: ""})
    assert not Stamps().hold(taken)


@pytest.mark.parametrize("name", ["a.py", "pkg/__init__.py"])
def test_stamps_do_not_hold_once_a_file_is_gone_or_another(tree: Path, name: str) -> None:
    taken = Stamps().of_all(asked(tree))
    (tree / name).write_text("changed = True\n", encoding="utf-8")
    assert not Stamps().hold(taken)
    (tree / name).unlink()
    assert not Stamps().hold(taken)

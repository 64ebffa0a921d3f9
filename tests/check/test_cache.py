"""What is remembered of files that have not changed."""

import os
import sqlite3
from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.check import Checked
from autograd_lint.config import Settings
from autograd_lint.findings import Certainty
from autograd_lint.workers import Plan, check_files

LEAF = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += 1\n"


def check(root: Path, name: str = "a.py", certainty: Certainty = Certainty.LIKELY) -> Checked:
    plan = Plan(Settings(root=root, certainty=certainty), (root,))
    (checked,) = check_files([root / name], plan, 1, root / ".cache")
    return checked


def forged(root: Path) -> bool:
    """Whether the result comes from the cache: what it remembers was made to say so."""
    return check(root).suppressed == 77


def forge(root: Path) -> None:
    """Make the cache say something that no analysis does."""
    with sqlite3.connect(root / ".cache" / "results.sqlite") as database:
        database.execute(
            "UPDATE results SET record = replace(record, '\"suppressed\": 0', '\"suppressed\": 77')"
        )
    database.close()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A file with a finding, and a module that it imports, checked and remembered."""
    root = tmp_path.resolve()
    program = "from b import x\nfrom c import d\n\nprint(x, d)\n" + LEAF
    write_tree(root, {"a.py": program, "b.py": "x = 1\n"})
    check(root)
    forge(root)
    return root


def test_an_unchanged_file_is_remembered(tree: Path) -> None:
    assert forged(tree)


def test_what_is_remembered_is_what_was_found(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF})
    first, second = check(tmp_path), check(tmp_path)
    assert first.findings
    assert first.findings == second.findings


def test_a_changed_file_is_checked_anew(tree: Path) -> None:
    write_tree(tree, {"a.py": LEAF})
    assert not forged(tree)


def test_a_change_of_an_imported_file_counts(tree: Path) -> None:
    write_tree(tree, {"b.py": "x = 22\n"})
    assert not forged(tree)


def test_an_imported_file_that_goes_counts(tree: Path) -> None:
    os.remove(tree / "b.py")
    assert not forged(tree)


@pytest.mark.parametrize(
    "name", ["c.py", "c/d.py", "c/d/__init__.py", "src/c/d.py", "b/__init__.py"]
)
def test_a_file_that_an_import_would_find_now_counts(tree: Path, name: str) -> None:
    write_tree(tree, {name: ""})
    assert not forged(tree)


def test_other_files_do_not_count(tree: Path) -> None:
    write_tree(tree, {"notes.txt": "", ".hidden/x.py": ""})
    assert forged(tree)


def test_other_settings_count(tree: Path) -> None:
    assert check(tree, certainty=Certainty.CERTAIN).suppressed == 0


@pytest.mark.parametrize("data", [b"no database", b""])
def test_a_broken_database_is_passed_over(tree: Path, data: bytes) -> None:
    (tree / ".cache" / "results.sqlite").write_bytes(data)
    assert not forged(tree)
    assert [finding.code for finding in check(tree).findings] == ["AG101"]


def test_a_broken_record_is_passed_over(tree: Path) -> None:
    with sqlite3.connect(tree / ".cache" / "results.sqlite") as database:
        database.execute("UPDATE results SET record = '{}'")
    database.close()
    assert [finding.code for finding in check(tree).findings] == ["AG101"]


def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF, ".cache": "a file"})
    assert check(tmp_path).findings


def test_the_folder_keeps_itself_out_of_git(tree: Path) -> None:
    assert (tree / ".cache" / ".gitignore").read_text() == "*\n"


def test_files_that_the_gate_rejects_need_no_cache(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "import os\n"})
    check(tmp_path)
    assert not (tmp_path / ".cache").exists()

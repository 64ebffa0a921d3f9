"""Which file answers to a name, while the files on the disk come and go."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.lookup import Lookup


def answer(lookup: Lookup, folder: Path, name: str) -> str:
    return lookup.answer(str(folder), name, 0)[0]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_tree(tmp_path, {"train.py": "", "models.py": "", "pkg/__init__.py": "", "pkg/net.py": ""})
    return tmp_path.resolve()


def test_nothing_is_asked_anew_where_the_disk_is_as_it_was(tree: Path) -> None:
    lookup = Lookup((tree,), ())
    assert answer(lookup, tree, "models") == str(tree / "models.py")
    assert not lookup.renew()
    assert answer(lookup, tree, "models") == str(tree / "models.py")


def _removed(tree: Path) -> None:
    (tree / "models.py").unlink()


def _made(tree: Path) -> None:
    (tree / "new.py").touch()


def _made_a_package(tree: Path) -> None:
    write_tree(tree, {"new/__init__.py": ""})


def _folder_instead(tree: Path) -> None:
    (tree / "models.py").unlink()
    (tree / "models.py").mkdir()


def _top_of_the_package_moved(tree: Path) -> None:
    (tree / "pkg" / "__init__.py").unlink()


@pytest.mark.parametrize(
    "change", [_removed, _made, _made_a_package, _folder_instead, _top_of_the_package_moved]
)
def test_answers_after_a_change_are_those_of_a_new_lookup(
    tree: Path, change: Callable[[Path], None]
) -> None:
    asked = [(tree, "models"), (tree, "new"), (tree / "pkg", "net"), (tree / "pkg", "models")]
    lookup = Lookup((tree,), ())
    before = [answer(lookup, *one) for one in asked]
    change(tree)
    assert [answer(lookup, *one) for one in asked] == before, "nothing is seen until it is renewed"
    assert lookup.renew()
    afresh = Lookup((tree,), ())
    assert [lookup.answer(str(folder), name, 0) for folder, name in asked] == [
        afresh.answer(str(folder), name, 0) for folder, name in asked
    ]


def test_what_is_opened_or_closed_is_seen(tree: Path) -> None:
    opened: set[str] = set()
    lookup = Lookup((tree,), opened)
    assert answer(lookup, tree, "new") == ""
    opened.add(str(tree / "new.py"))
    assert lookup.renew()
    assert answer(lookup, tree, "new") == str(tree / "new.py")
    opened.clear()
    assert lookup.renew()
    assert answer(lookup, tree, "new") == ""


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_where_a_link_leads_by_now_is_seen(tree: Path) -> None:
    target, link = tree / "train.py", tree / "linked.py"
    link.symlink_to(target)
    lookup = Lookup((tree,), ())
    assert answer(lookup, tree, "linked") == str(link)
    target.unlink()
    lookup.renew()
    assert answer(lookup, tree, "linked") == ""


def test_the_root_of_the_disk_may_be_that_of_a_project() -> None:
    top = Path(os.path.abspath(os.sep))
    lookup = Lookup((top,), ())
    assert answer(lookup, top, "a_module_that_nobody_has") == ""
    assert not lookup.renew()

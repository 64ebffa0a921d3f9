"""Imports across the files of a project."""

import os
from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def resolved(root: Path, importer: str, name: str, level: int = 0) -> str | None:
    """The file, below `root`, that an import leads to."""
    found = Project([root]).resolve(name, Source(str(root / importer), ""), level)
    return Path(found.filename).relative_to(root).as_posix() if found else None


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    names = (
        "train.py",
        "models.py",
        "pkg/__init__.py",
        "pkg/net.py",
        "pkg/sub/__init__.py",
        "pkg/sub/deep.py",
        "namespace/inner.py",
        "src/installed/__init__.py",
        "src/installed/core.py",
        "tests/test_net.py",
    )
    write_tree(tmp_path, dict.fromkeys(names, "x = 1\n"))
    write_tree(tmp_path, {"pyproject.toml": "", "broken.py": "x = (\n"})
    return tmp_path.resolve()


@pytest.mark.parametrize(
    ("importer", "name", "level", "expected"),
    [
        ("train.py", "models", 0, "models.py"),
        ("train.py", "pkg", 0, "pkg/__init__.py"),
        ("train.py", "pkg.sub.deep", 0, "pkg/sub/deep.py"),
        ("train.py", "namespace.inner", 0, "namespace/inner.py"),
        ("train.py", "installed.core", 0, "src/installed/core.py"),
        ("tests/test_net.py", "pkg.net", 0, "pkg/net.py"),
        ("pkg/net.py", "models", 0, "models.py"),
        ("pkg/net.py", "sub.deep", 0, "pkg/sub/deep.py"),
        ("pkg/sub/deep.py", "", 1, "pkg/sub/__init__.py"),
        ("pkg/sub/deep.py", "", 2, "pkg/__init__.py"),
        ("pkg/sub/deep.py", "net", 2, "pkg/net.py"),
        ("pkg/__init__.py", "net", 1, "pkg/net.py"),
        ("train.py", "torch", 0, None),
        ("train.py", "namespace", 0, None),
        ("train.py", "broken", 0, None),
        ("train.py", "", 0, None),
        ("pkg/net.py", "models.nothing", 0, None),
    ],
)
def test_an_import_leads_to_its_file(
    tree: Path, importer: str, name: str, level: int, expected: str | None
) -> None:
    assert resolved(tree, importer, name, level) == expected


def test_a_script_in_a_folder_around_imports_what_lies_beside_it(tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(("study/main.py", "study/utils/layer.py"), "x = 1\n"))
    write_tree(tmp_path, dict.fromkeys(("study/models/net.py", "other/tools/rest.py"), "x = 1\n"))
    assert resolved(tmp_path, "study/models/net.py", "utils.layer") == "study/utils/layer.py"
    assert resolved(tmp_path, "study/models/net.py", "tools.rest") is None


def test_nothing_outside_of_the_roots_is_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"outside.py": "x = 1\n", "root/pkg/__init__.py": "", "root/pkg/a.py": ""})
    importer = Source(str(tmp_path / "root/pkg/a.py"), "")
    assert Project([tmp_path / "root"]).resolve("outside", importer, 3) is None


def test_more_dots_than_directories_lead_nowhere(tmp_path: Path) -> None:
    importer = Source(str(tmp_path / "a.py"), "")
    assert Project([tmp_path]).resolve("b", importer, 99) is None


def test_a_link_out_of_the_roots_is_not_followed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"outside.py": "x = 1\n", "root/a.py": ""})
    os.symlink(tmp_path / "outside.py", tmp_path / "root/linked.py")
    importer = Source(str(tmp_path / "root/a.py"), "")
    assert Project([tmp_path / "root"]).resolve("linked", importer) is None


def test_a_source_alone_has_no_neighbours(tree: Path) -> None:
    assert Project.alone().resolve("models", Source(str(tree / "train.py"), "")) is None


def test_the_same_source_is_read_once(tree: Path) -> None:
    project = Project([tree])
    importer = Source(str(tree / "train.py"), "")
    assert project.resolve("models", importer) is project.resolve("models", importer)


def test_few_sources_are_kept(tmp_path: Path) -> None:
    big = "# a long comment\n" * 110_000
    write_tree(tmp_path, {"a.py": big, "b.py": big, "c.py": big})
    project = Project([tmp_path])
    importer = Source(str(tmp_path / "main.py"), "")
    first = project.resolve("a", importer)
    assert first is not None
    project.resolve("b", importer)
    project.resolve("c", importer)
    assert project.resolve("a", importer) is not first


def test_mentions_are_looked_for_where_the_project_speaks(tmp_path: Path) -> None:
    write_tree(tmp_path, {"own/a.py": "f()\n", "other/b.py": "f()\n"})
    found = Project([tmp_path], speaking=[tmp_path / "own"]).mentions("f") or []
    assert [Path(one.source.filename).name for one in found] == ["a.py"]


def test_an_opened_source_stands_for_its_file(tree: Path) -> None:
    path = tree / "new.py"
    opened = {str(path): Source(str(path), "x = 1\n")}
    importer = Source(str(tree / "train.py"), "")
    project = Project([tree], opened)
    assert project.resolve("new", importer) is opened[str(path)]
    opened.clear()
    project.renew()
    assert project.resolve("new", importer) is None


def test_what_changes_on_disk_is_read_again_when_renewed(tree: Path) -> None:
    project = Project([tree])
    importer = Source(str(tree / "train.py"), "")
    first = project.resolve("models", importer)
    assert not project.renew()
    assert project.resolve("models", importer) is first
    (tree / "models.py").write_text("changed = True\n", encoding="utf-8")
    assert project.renew()
    second = project.resolve("models", importer)
    assert second is not None
    assert second.text == "changed = True\n"


def test_a_file_that_was_checked_is_not_read_again(tree: Path) -> None:
    project = Project([tree])
    checked = Source(str(tree / "models.py"), "y = 2\n")
    project.adopt(checked)
    assert project.resolve("models", Source(str(tree / "train.py"), "")) is checked


def test_a_file_that_nothing_imported_is_let_go_when_the_next_is_checked(tree: Path) -> None:
    project, train = Project([tree]), Source(str(tree / "train.py"), "x = 1\n")
    checked = Source(str(tree / "models.py"), "y = 2\n")
    for imported in (False, True):
        project.adopt(checked)
        if imported:
            project.resolve("models", train)
        project.adopt(train)
        assert (project.resolve("models", train) is checked) is imported


def test_a_file_that_was_imported_is_not_parsed_again(tree: Path) -> None:
    project = Project([tree])
    imported = project.resolve("models", Source(str(tree / "train.py"), ""))
    assert project.known(Source(str(tree / "models.py"), "x = 1\n")) is imported


def test_a_file_that_changed_is_read_anew(tree: Path) -> None:
    project = Project([tree])
    project.resolve("models", Source(str(tree / "train.py"), ""))
    edited = Source(str(tree / "models.py"), "x = 2\n")
    assert project.known(edited) is edited


def test_a_file_outside_is_not_adopted(tree: Path) -> None:
    project = Project([tree / "pkg"])
    project.adopt(Source(str(tree / "models.py"), "y = 2\n"))
    assert project.resolve("models", Source(str(tree / "pkg/net.py"), "")) is None


def test_a_file_is_not_asked_for_by_being_checked(tree: Path) -> None:
    project = Project([tree])
    project.adopt(Source(str(tree / "models.py"), "y = 2\n"))
    assert project.trail == set()

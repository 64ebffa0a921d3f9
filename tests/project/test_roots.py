"""Which project a file belongs to."""

from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.roots import Home, Homes, folder_of, package_top


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package inside of a folder that nothing marks as a project."""
    write_tree(tmp_path, {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/deep.py": ""})
    return tmp_path


def home(directory: Path) -> Home:
    return Homes().of(directory)


def test_a_project_is_the_folder_with_its_project_file(tree: Path) -> None:
    write_tree(tree, {"pyproject.toml": ""})
    assert home(tree / "pkg/sub") == Home(tree, (tree,))


def test_a_repository_is_one_project_whose_parts_have_roots_of_their_own(tree: Path) -> None:
    write_tree(tree, {".git/config": "", "pkg/setup.py": ""})
    assert home(tree / "pkg/sub") == Home(tree, (tree / "pkg", tree))


def test_without_a_repository_the_nearest_pyproject_makes_the_project(tree: Path) -> None:
    write_tree(tree, {"pyproject.toml": "", "pkg/pyproject.toml": "", "pkg/sub/setup.py": ""})
    assert home(tree / "pkg/sub") == Home(tree / "pkg", (tree / "pkg/sub", tree / "pkg"))


def test_a_setup_file_inside_of_a_project_makes_no_project_of_its_own(tree: Path) -> None:
    write_tree(tree, {"pyproject.toml": "", "pkg/sub/setup.py": ""})
    assert home(tree / "pkg/sub").folder == tree


def test_where_nothing_marks_a_project_it_is_the_topmost_named_folder(tree: Path) -> None:
    found = Homes((tree / "pkg", tree)).of(tree / "pkg/sub")
    assert found == Home(tree, (tree,))


def test_where_nothing_is_named_either_it_is_what_the_package_lies_in(tree: Path) -> None:
    assert home(tree / "pkg/sub") == Home(tree, (tree,))


def test_installed_packages_are_projects_of_their_own_that_import_each_other(tree: Path) -> None:
    write_tree(tree, {"other/__init__.py": ""})
    (tree / "pkg-1.0.dist-info").mkdir()
    assert home(tree / "pkg/sub") == Home(tree / "pkg", (tree,))


def test_a_package_is_imported_from_above_its_top(tree: Path) -> None:
    assert package_top(tree / "pkg" / "sub") == tree


def test_a_file_stands_for_the_folder_that_it_is_imported_from(tree: Path) -> None:
    assert folder_of(tree / "pkg/sub/deep.py") == tree
    assert folder_of(tree / "pkg") == tree / "pkg"

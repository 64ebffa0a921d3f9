"""What files import, who imports a file, and what is loaded with it."""

from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.importers import MOST, Importers
from autograd_lint.project.imports import Imported, imports_in
from autograd_lint.project.modules import Project


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import a.b as c, d", [Imported("a.b", 0), Imported("d", 0)]),
        ("from a import b as c, d  # e", [Imported("a", 0, ("b", "d"))]),
        ("    from ..a import (\n    b,  # c\n    d as e,\n)", [Imported("a", 2, ("b", "d"))]),
        ("from . import a", [Imported("", 1, ("a",))]),
        ("from a import b, \\\n    c", [Imported("a", 0, ("b", "c"))]),
        ("from a import *", [Imported("a", 0)]),
        ("important = 1", []),
        ("x.import_module('a')", []),
        ("import s\ns['a'] = ['b']\n_LazyModule(s)", [Imported("s", 0), Imported("a", 1, ("b",))]),
        ("import s\ns['a'] = ['b']", [Imported("s", 0)]),
    ],
)
def test_imports_are_read_from_the_text(line: str, found: list[Imported]) -> None:
    assert list(imports_in(line.encode())) == found


TREE = {
    "pyproject.toml": "",
    "pkg/__init__.py": "from .layers import Net\n",
    "pkg/layers.py": "import torch\n\n\nclass Net: ...\n",
    "pkg/heads.py": "from .layers import Net\n",
    "tools/other.py": "import pkg\n\ntry: ...\nfinally: ...\n",
    "tools/user.py": "from pkg import Net\n",
    "train.py": "from pkg.heads import Net\nif __name__ == '__main__': ...\n",
    "apart.py": "import torch\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_tree(tmp_path, TREE)
    return tmp_path


def names(root: Path, found: object) -> list[str]:
    assert not isinstance(found, str)
    return [Path(path).relative_to(root).as_posix() for path in found]  # type: ignore[attr-defined]


def test_what_a_file_reaches_is_what_it_imports_and_what_that_imports(tree: Path) -> None:
    found = Project([tree]).reached(str(tree / "train.py"))
    assert names(tree, found) == ["pkg/heads.py", "pkg/layers.py"]


def test_packages_are_loaded_with_their_modules(tree: Path) -> None:
    found = names(tree, Project([tree]).loaded(str(tree / "train.py")))
    assert sorted(found) == ["pkg/__init__.py", "pkg/heads.py", "pkg/layers.py"]


@pytest.mark.parametrize("others", [0, 20])
def test_importers_come_the_nearest_first_and_scripts_first(tree: Path, others: int) -> None:
    """`tools/other.py` imports the package, and none of the names that it hands on."""
    importers = Importers(Project([tree]))
    for number in range(others):
        assert list(importers.of(str(tree / f"nothing{number}.py"))) == []
    found = importers.of(str(tree / "pkg/layers.py"))
    assert names(tree, found) == ["pkg/__init__.py", "pkg/heads.py", "train.py", "tools/user.py"]


def test_who_takes_from_a_package_what_an_importer_offers_there_comes_to_the_file(
    tree: Path,
) -> None:
    write_tree(tree, {"pkg/__init__.py": "from .heads import *\n"})
    write_tree(
        tree,
        {"pkg/heads.py": "from .layers import Net\n\ndef head(): ...\n\ntry: ...\nfinally: ...\n"},
    )
    write_tree(tree, {"tools/user.py": "from pkg import head\n"})
    found = names(tree, Importers(Project([tree])).of(str(tree / "pkg/layers.py")))
    assert "tools/user.py" in found and "tools/other.py" not in found


def test_files_of_a_package_that_import_it_by_a_dot_come_to_its_modules(tree: Path) -> None:
    write_tree(tree, {"pkg/tail.py": "from . import Net\n", "apart.py": "from . import Net\n"})
    found = names(tree, Importers(Project([tree])).of(str(tree / "pkg/layers.py")))
    assert "pkg/tail.py" in found and "apart.py" not in found


@pytest.mark.parametrize(
    ("package", "user", "comes"),
    [
        ("from .layers import Net\n\ndef build():\n    return Net()\n", "build", True),
        ("from .layers import Net\n\ndef b():\n    return Net()\n\nbuild = [b]\n", "build", True),
        ("from .layers import Net\n\n__all__ = ['Net']\ndef build(): ...\n", "build", False),
        (
            "import importlib as i\n\ndef one(n):\n    return i.import_module(f'pkg.{n}')\n",
            "one",
            True,
        ),
        (
            "import importlib as i\n\ndef one(n):\n    return i.import_module(f'own.{n}')\n",
            "one",
            False,
        ),
    ],
)
def test_who_takes_from_a_package_what_it_defines_by_a_file_comes_to_the_file(
    tree: Path, package: str, user: str, comes: bool
) -> None:
    write_tree(tree, {"pkg/__init__.py": package, "tools/user.py": f"from pkg import {user}\n"})
    found = names(tree, Importers(Project([tree])).of(str(tree / "pkg/layers.py")))
    assert ("tools/user.py" in found) is comes


@pytest.mark.parametrize(("registry", "comes"), [("TABLE", True), ("OTHER", False)])
def test_who_asks_the_registry_of_a_file_comes_to_the_file(
    tree: Path, registry: str, comes: bool
) -> None:
    entered = "from tables import TABLE\n\n@TABLE.register\nclass Net: ...\n"
    user = f"import pkg\nfrom tables import {registry}\n{registry}.build('net')\n"
    write_tree(tree, {"tables.py": "", "pkg/layers.py": entered, "tools/user.py": user})
    found = names(tree, Importers(Project([tree])).of(str(tree / "pkg/layers.py")))
    assert ("tools/user.py" in found) is comes


def test_no_more_importers_are_named_than_can_be_run(tree: Path) -> None:
    write_tree(tree, {f"use{n}.py": "import pkg.layers\n" for n in range(2 * MOST)})
    found = list(Importers(Project([tree])).of(str(tree / "pkg/layers.py")))
    assert len([one for one in found if not one.endswith("__init__.py")]) == MOST


def test_what_nothing_imports_has_no_importers(tree: Path) -> None:
    assert list(Importers(Project([tree])).of(str(tree / "apart.py"))) == []


def test_files_of_other_packages_are_not_the_projects_own(tree: Path) -> None:
    project = Project([tree], speaking=[tree / "pkg"])
    assert project.owns(str(tree / "pkg/layers.py"))
    assert not project.owns(str(tree / "tools/user.py"))

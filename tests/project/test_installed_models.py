"""Models that installed packages bring."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.installed_models import installed_folders, places_of_packages
from autograd_lint.project.modules import Project
from autograd_lint.project.roots import Home


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a package `acme` with models is installed that must not be imported."""
    points = "[autograd_lint.models]\nacme = acme.autograd_models\n"
    write_tree(
        tmp_path,
        {
            "acme/__init__.py": "raise SystemExit('imported')\n",
            "acme/autograd_models/acme.pyi": "class Trainer: ...\n",
            "acme-1.0.dist-info/METADATA": "Name: acme\nVersion: 1.0\n",
            "acme-1.0.dist-info/entry_points.txt": points,
        },
    )
    monkeypatch.syspath_prepend(tmp_path)
    installed_folders.cache_clear()
    yield tmp_path
    installed_folders.cache_clear()


def test_an_entry_point_names_a_folder_of_models(installed: Path) -> None:
    assert installed / "acme" / "autograd_models" in installed_folders()
    assert "acme" not in sys.modules


def test_a_project_has_the_models_of_installed_packages(installed: Path, tmp_path: Path) -> None:
    project = Project.of(Home(tmp_path / "own", (tmp_path / "own",)), ())
    found = project.model("acme")
    assert found is not None and found.stands_for == "acme"


def test_a_package_that_is_installed_later_is_noticed(installed: Path, tmp_path: Path) -> None:
    project = Project.of(Home(tmp_path / "own", (tmp_path / "own",)), ())
    project.model("other")
    assert str(installed) in project.trail
    assert str(installed) in places_of_packages()

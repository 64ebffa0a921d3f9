"""Models of libraries: which file stands for which module, and who comes first."""

from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project.library_models import LibraryModels
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


@pytest.mark.parametrize(
    ("file", "module"),
    [("acme.pyi", "acme"), ("acme/__init__.pyi", "acme"), ("acme/nn.pyi", "acme.nn")],
)
def test_a_file_stands_for_the_module_of_its_name(tmp_path: Path, file: str, module: str) -> None:
    write_tree(tmp_path, {file: "x = 1\n"})
    found = LibraryModels([tmp_path]).of(module)
    assert found is not None
    assert (found.filename, found.stands_for) == (str(tmp_path / file), module)


def test_a_model_of_the_project_comes_before_that_of_this_package(tmp_path: Path) -> None:
    write_tree(tmp_path, {"accelerate.pyi": "x = 1\n"})
    own, given = LibraryModels().of("accelerate"), LibraryModels([tmp_path]).of("accelerate")
    assert own is not None and "class Accelerator" in own.text
    assert given is not None and given.text == "x = 1\n"


@pytest.mark.parametrize("text", ["def f(:\n", "\0"])
def test_a_model_that_cannot_be_parsed_is_none(tmp_path: Path, text: str) -> None:
    write_tree(tmp_path, {"acme.pyi": text})
    assert LibraryModels([tmp_path]).of("acme") is None


def test_a_model_is_read_again_once_renewed(tmp_path: Path) -> None:
    models = LibraryModels([tmp_path])
    assert models.of("acme") is None
    write_tree(tmp_path, {"acme.pyi": "x = 1\n"})
    assert models.of("acme") is None
    models.renew()
    assert models.of("acme") is not None


def test_a_file_of_the_project_comes_before_a_model(tmp_path: Path) -> None:
    write_tree(tmp_path, {"accelerate.py": "x = 1\n"})
    project = Project([tmp_path])
    found = project.resolve("accelerate", Source(str(tmp_path / "main.py"), ""))
    assert found is not None and not found.stands_for


def test_a_model_that_is_missing_is_asked_for(tmp_path: Path) -> None:
    project = Project([tmp_path], models=[tmp_path / "models"])
    assert project.model("acme") is None
    assert str(tmp_path / "models" / "acme.pyi") in project.trail

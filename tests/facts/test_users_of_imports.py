"""Modules that are run for the layers of other files that they are made of."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.facts.users_of_imports import users_of_imports
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

LAYER = """\
import torch

class Add(torch.nn.Module):
    def forward(self, x):
        out = x.exp()
        out += 1
        return out
"""
NET = """\
import torch
from layer import Add

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.part = torch.nn.Linear(3, 3), Add()

    def forward(self, x):
        return self.part(self.fc(x))
"""


def written(folder: Path, text: str) -> tuple[Source, Project]:
    """The file of a network beside that of its layer, and their project."""
    write_tree(folder, {"layer.py": LAYER, "net.py": text})
    return Source(str(folder / "net.py"), text), Project([folder])


def test_a_module_shows_what_it_gives_an_imported_layer(tmp_path: Path) -> None:
    (fault,) = analyse(*written(tmp_path, NET))
    assert fault.modified is not None and Path(fault.modified.place.filename).stem == "layer"
    assert not any(one.given for one in fault.assumptions)


def test_a_module_with_a_forward_uses_what_it_imports(tmp_path: Path) -> None:
    assert users_of_imports(*written(tmp_path, NET)) == {"Net": frozenset({"Add"})}


@pytest.mark.parametrize(("old", "new"), [("from layer", "from elsewhere"), ("forward", "build")])
def test_nothing_else_starts_a_run(tmp_path: Path, old: str, new: str) -> None:
    assert users_of_imports(*written(tmp_path, NET.replace(old, new))) == {}

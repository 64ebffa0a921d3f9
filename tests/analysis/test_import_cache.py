"""What is kept of imports from one analysis to the next changes nothing but the time."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.analysis.import_cache import Kept
from autograd_lint.engine.faults import Fault
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

HELPER = """\
import torch

w = torch.ones(3, requires_grad=True)
history = []
switch = False

class Settings:
    inplace = False
    seen = []

def bump(t):
    if Settings.inplace:
        t.mul_(2)
    return t

def scaled(t):
    return t.mul(w)
"""
START = "import torch\nimport helper\nfrom helper import Settings, bump, history, scaled, w\n"
LEAF = "x = torch.ones(3, requires_grad=True)\n"
PROGRAMS = [
    LEAF + "bump(x)\n",
    "with torch.no_grad():\n    w.add_(1)\nscaled(w).sum().backward()\n",
    "y = w * w\nwith torch.no_grad():\n    w.add_(1)\ny.sum().backward()\n",
    "w.requires_grad_(False)\n" + LEAF + "x += 1\n",
    "w.sum().backward()\n",
    "Settings.inplace = True\n" + LEAF + "bump(x)\n",
    LEAF + "bump(x)\n",
    "helper.switch = True\n" + LEAF + "if helper.switch:\n    x += 1\n",
    LEAF + "if helper.switch:\n    x += 1\n",
    LEAF + "history.append((x * 2).sum())\nhistory[0].backward()\nhistory[0].backward()\n",
    LEAF + "Settings.seen.append((x * x).sum())\nSettings.seen[0].backward()\n",
    LEAF + "for loss in Settings.seen:\n    loss.backward()\nx += 1\n",
    "class Bump(torch.nn.Module):\n    def forward(self, x):\n        h = torch.sigmoid(x)\n"
    "        bump(h)\n        h += 1\n        return scaled(h)\n",
]


class Counting(Project):
    """A project that counts what imports ask of it."""

    asked = 0

    def resolve(self, name: str, importer: Source, level: int = 0) -> Source | None:
        self.asked += 1
        return super().resolve(name, importer, level)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with a helper."""
    write_tree(tmp_path, {"helper.py": HELPER})
    return tmp_path


def found(tree: Path, text: str, project: Project, kept: Kept | None = None) -> list[Fault]:
    """The faults of a program in the project."""
    project.renew()
    return analyse(Source(str(tree / "main.py"), START + text), project, kept=kept)


def test_no_program_changes_what_the_next_one_finds(tree: Path) -> None:
    project, kept = Project([tree]), Kept()
    for text in (*PROGRAMS, *reversed(PROGRAMS)):
        for again in range(2):
            text += "\n" * again
            assert found(tree, text, project, kept) == found(tree, text, Project([tree])), text


def test_some_of_the_programs_are_at_fault(tree: Path) -> None:
    assert sum(bool(found(tree, text, Project([tree]))) for text in PROGRAMS) > 5


def test_names_are_computed_once(tree: Path) -> None:
    project, kept = Counting([tree]), Kept()
    write_tree(tree, {"far.py": "from helper import bump\n\ndef use(t):\n    return bump(t)\n"})
    text = "from far import use\n" + LEAF + "use(x)\nx += 1\n"
    first = found(tree, text, project, kept)
    before, project.asked = project.asked, 0
    assert found(tree, text, project, kept) == first
    assert project.asked < before


def test_a_file_that_changed_is_read_again(tree: Path) -> None:
    project, kept = Project([tree]), Kept()
    assert found(tree, PROGRAMS[0], project, kept) == []
    write_tree(tree, {"helper.py": HELPER.replace("inplace = False", "inplace = True ")})
    assert len(found(tree, PROGRAMS[0], project, kept)) == 1


def test_a_file_that_appears_is_seen(tree: Path) -> None:
    project, kept = Project([tree]), Kept()
    text = "from later import bump as other\n" + LEAF + "other(x)\n"
    assert found(tree, text, project, kept) == []
    write_tree(tree, {"later.py": "def bump(t):\n    t.mul_(2)\n"})
    assert len(found(tree, text, project, kept)) == 1


def test_files_that_import_the_analysed_one_see_it_as_it_is(tree: Path) -> None:
    write_tree(tree, {"back.py": "from main import step\n\ndef run(t):\n    step(t)\n"})
    project, kept = Project([tree]), Kept()
    text = "from back import run\n\ndef step(t):\n    return t.mul(2)\n\n" + LEAF + "run(x)\n"
    write_tree(tree, {"main.py": START + text})
    assert found(tree, text, project, kept) == []
    changed = text.replace("mul", "mul_")
    write_tree(tree, {"main.py": START + changed})
    assert found(tree, changed, project, kept) == found(tree, changed, Project([tree])) != []

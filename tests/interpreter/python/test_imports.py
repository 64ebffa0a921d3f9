"""Names of the project's own packages."""

from pathlib import Path

from autograd_lint.interpreter.runs.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

PACKAGE = """
from .state import *
from .trial import *
"""
STATE = """
class State:
    def __init__(self, loss):
        self.loss = loss
"""
TRIAL = """
import torch
from package import State

State(torch.zeros(1)).loss.backward()
"""


def test_a_star_does_not_give_what_asks_for_the_name_itself(tmp_path: Path) -> None:
    names = ("__init__.py", "state.py", "trial.py")
    texts = (PACKAGE, STATE, TRIAL)
    write_tree(tmp_path, dict(zip((f"package/{name}" for name in names), texts, strict=True)))
    project = Project([tmp_path.resolve()])
    source = Source(str(tmp_path.resolve() / "package/trial.py"), TRIAL)
    assert [fault.kind.value for fault in analyse(source, project)] == ["no-grad-root"]

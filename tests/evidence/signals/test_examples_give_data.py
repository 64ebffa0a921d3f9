"""What the examples of a project show a function to be given."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

OWN = """import torch

class Processor:
    def best_of(self, outputs):
        scores = torch.sigmoid(outputs.logits)
        scores[0] = 0
        return scores
"""
MODEL = '''def of():
    """How to use it:

    >>> {without}:
    ...     outputs = model(x)
    >>> best = processor.best_of(outputs)
    {more}
    """
'''


@pytest.mark.parametrize(
    ("without", "more", "shown"),
    [
        ("with torch.no_grad()", "", False),
        ("if model.is_ready()", "", True),
        ("with torch.no_grad()", ">>> processor.best_of(model(y))", True),
    ],
)
def test_what_all_examples_compute_without_grad_mode_is_data(
    tmp_path: Path, without: str, more: str, shown: bool
) -> None:
    write_tree(tmp_path, {"own.py": OWN, "model.py": MODEL.format(without=without, more=more)})
    source = Source(str(tmp_path / "own.py"), OWN)
    faults = analyse(source, Project([tmp_path]))
    assert any(fault.weight < 2 for fault in faults) is shown

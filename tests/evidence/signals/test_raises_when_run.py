"""What would raise when a program is run, in a project that others install and in one that they do
not."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

WRITTEN = "import torch\n\n\ndef scale(x):\n    y = x.exp()\n    y += 1\n    return y\n"
LAYER = (
    "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n\n"
    "    def forward(self, x):\n        y = self.layer(x).exp()\n        y += 1\n        return y\n"
)
SETUP = {"setup.py": "from setuptools import setup\n\nsetup(name='own')\n"}


@pytest.mark.parametrize(
    ("text", "others", "told"),
    [
        (WRITTEN, {}, True),
        (WRITTEN, {"pyproject.toml": "[tool.ruff]\n"}, True),
        (WRITTEN, {"pyproject.toml": "[project]\nname = 'own'\n"}, False),
        (WRITTEN, SETUP, False),
        (LAYER, {}, False),  # nothing shows that the layer is trained: who runs the rest sees none
    ],
)
def test_what_raises_when_a_program_is_run_is_seen(
    tmp_path: Path, text: str, others: dict[str, str], told: bool
) -> None:
    write_tree(tmp_path, {"own.py": text, **others})
    found = analyse(Source(str(tmp_path / "own.py"), text), Project([tmp_path]))
    assert found
    assert all(("raises-when-run" in fault.signals) is told for fault in found)

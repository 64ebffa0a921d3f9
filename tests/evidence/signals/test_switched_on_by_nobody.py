"""What torch warns of, or nothing tells, where an option is on that nothing switches on."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, weights

BLOCK = """import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def __init__(self, with_cp={default}):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.with_cp = with_cp

    def forward(self, x):
        if self.with_cp:
            return checkpoint(self.layer, x)
        return self.layer(x)
"""
CALLER = """
class Net(nn.Module):
    def __init__(self, with_cp=False):
        super().__init__()
        self.block = Block({given})

    def forward(self, x):
        return self.block(x)
"""


@pytest.mark.parametrize(
    ("default", "given", "shown"),
    [
        ("False", "with_cp=with_cp", False),
        ("False", "with_cp=False", False),
        ("False", "with_cp=True", True),
        ("False", "with_cp=options.memory", True),
        ("False", "with_cp=options.with_cp", True),
        ("False", "True", True),
        ("True", "", True),
    ],
)
def test_a_warning_behind_an_option_that_nothing_sets(
    tmp_path: Path, default: str, given: str, shown: bool
) -> None:
    caller = {"caller.py": HEAD + CALLER.format(given=given)}
    found = weights(tmp_path, BLOCK.format(default=default), caller)
    assert found and any(weight < 2 for weight in found) is shown


@pytest.mark.parametrize(
    ("file", "text", "shown"),
    [
        ("model.yaml", "block:\n  with_cp: true\n", True),
        ("model.yaml", "block:\n  with_cp: false\n", False),
        ("run.sh", "python train.py --with-cp\n", True),
        ("notes.txt", "with_cp: true\n", False),
    ],
)
def test_a_file_of_settings_sets_an_option(
    tmp_path: Path, file: str, text: str, shown: bool
) -> None:
    (tmp_path / file).write_text(text)
    caller = {"caller.py": HEAD + CALLER.format(given="with_cp=with_cp")}
    found = weights(tmp_path, BLOCK.format(default="False"), caller)
    assert found and any(weight < 2 for weight in found) is shown


def test_what_a_package_offers_has_its_options_for_others(tmp_path: Path) -> None:
    found = weights(tmp_path, BLOCK.format(default="False"), {"__init__.py": "from own import *\n"})
    assert any(weight < 2 for weight in found)


PARTS = """import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, with_cp=False):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        if with_cp:
            self.more = [nn.Linear(2, 2)]

    def forward(self, x):
        return self.layer(x)

    def deeper(self, x):
        return self.more[0](x)
"""


@pytest.mark.parametrize(
    ("given", "shown"), [("with_cp", False), ("with_cp=with_cp", False), ("not with_cp", True)]
)
def test_what_nothing_tells_behind_an_option_that_nothing_sets(
    tmp_path: Path, given: str, shown: bool
) -> None:
    found = weights(tmp_path, PARTS, {"caller.py": HEAD + CALLER.format(given=given)})
    assert found and any(weight < 2 for weight in found) is shown

"""Objects that are made of copies of what is trained."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import weights

EXPORTED = """import copy
import torch
from torch import nn

class Exported(nn.Module):
    def __init__(self, policy):
        super().__init__()
        self.rnn = {copied}(policy.rnn)
        self.head = {copied}(policy.head)
        self.register_buffer("state", torch.zeros(1, 1, 8))
        self.layer = nn.GRU(8, 8)

    def forward(self, x):
        out, state = self.layer(x, self.state)
        self.state[:] = state
        return out
"""


@pytest.mark.parametrize(("copied", "shown"), [("copy.deepcopy", False), ("wrapped", True)])
def test_what_is_made_of_copies_is_there_to_be_run(
    tmp_path: Path, copied: str, shown: bool
) -> None:
    found = weights(tmp_path, EXPORTED.format(copied=copied), {})
    assert found and any(weight < 2 for weight in found) is shown

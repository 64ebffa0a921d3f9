"""Functions that all callers of the project reach with grad mode off."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, is_shown

BEAM = f"""{HEAD}
class Beam:
    def update(self, state):
        for row in state:
            row.copy_(row.flip(0))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def sample(self, x):
        state = self.net(x)
        Beam().update(state)
        return state
"""
CALLER = """import torch
from own import Model
def evaluate(model: Model, x):
    {mode}
        return model.sample(x)
{more}
"""


@pytest.mark.parametrize(
    ("mode", "more", "shown"),
    [
        ("with torch.no_grad():", "", False),
        ("if model.training:", "", True),
        ("with torch.no_grad():", "def train(model: Model, x):\n    return model.sample(x)", True),
        ("with torch.no_grad():", "table = dict(draw=Model.sample)", True),
    ],
)
def test_an_error_cannot_be_raised_where_each_way_leads_through_no_grad(
    tmp_path: Path, mode: str, more: str, shown: bool
) -> None:
    assert is_shown(tmp_path, BEAM, CALLER.format(mode=mode, more=more)) is shown

"""Functions that all callers of the project reach with grad mode off."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import HEAD, is_shown, weights

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


OFFERED = """import torch
from own import scaled
def evaluate(x):
    with torch.no_grad():
        return scaled(x)
"""
SCALED = f"""{HEAD}
def scaled(x: torch.Tensor):
    y = x.exp()
    y += 1
    return y * x
"""


@pytest.mark.parametrize(
    ("others", "shown"), [({}, False), ({"__init__.py": "from .own import scaled\n"}, True)]
)
def test_a_function_that_a_package_offers_others_call(
    tmp_path: Path, others: dict[str, str], shown: bool
) -> None:
    found = weights(tmp_path, SCALED, {"caller.py": HEAD + OFFERED, **others})
    assert any(weight < 2 for weight in found) is shown


def test_a_method_of_a_class_that_a_folder_collects_is_called_as_the_project_does(
    tmp_path: Path,
) -> None:
    caller = CALLER.format(mode="with torch.no_grad():", more="")
    others = {"caller.py": HEAD + caller, "__init__.py": "from .own import Beam, Model\n"}
    assert not any(weight < 2 for weight in weights(tmp_path, BEAM, others))

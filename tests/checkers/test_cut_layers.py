"""Layers whose results a module only uses without their graph."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

GATED = """
class Gated(nn.Module):
    def __init__(self, MADE):
        super().__init__()
        self.NAME = nn.Linear(4, 1)
        self.out = nn.Linear(4, 2)
        BEGUN

    def score(self, x):
        return torch.sigmoid(self.NAME(x))CUT

    def forward(self, x):
        return self.out(x * self.score(x))
"""


def gated(cut: str, name: str = "gate", begun: str = "pass", made: str = "dim") -> list[int]:
    program = GATED.replace("CUT", cut).replace("NAME", name).replace("BEGUN", begun)
    return rows(program.replace("MADE", made), Pitfall.GRADIENT_CUT)


def test_a_layer_that_a_module_only_uses_detached_gets_no_gradient() -> None:
    assert gated(".detach()") == [10]
    assert gated("") == []


@pytest.mark.parametrize(
    "begun",
    [
        "self.gate.requires_grad_(False)",
        "self.gate.load_state_dict(torch.load('gate.pt'))",
        "self.gate.weight.data.fill_(1.0)",
        "init_weights(self.gate)",
    ],
)
def test_a_layer_whose_weights_are_set_otherwise_may_be_detached(begun: str) -> None:
    assert gated(".detach()", begun=begun) == []


def test_a_layer_that_is_called_a_target_stays_as_it_is() -> None:
    assert gated(".detach()", name="target_head") == []


def test_a_choice_of_the_program_cuts_a_layer_on_purpose() -> None:
    assert gated(".detach() if self.stop else torch.sigmoid(self.gate(x))") == []


NECK = """
class Detector(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.neck, self.head = nn.Conv2d(8, 8, 1), nn.Conv2d(8, 2, 1)

    def extract(self, x):
        with torch.no_grad():
            return NECK(self.backbone(x))

    def forward(self, x):
        return self.head(self.extract(x))
"""


def test_a_layer_that_only_runs_under_no_grad_gets_no_gradient() -> None:
    assert rows(NECK.replace("NECK", "self.neck"), Pitfall.GRADIENT_CUT) == [9]
    assert rows(NECK.replace("NECK", ""), Pitfall.GRADIENT_CUT) == []


TAKEN = """
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(PARTS)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            h = self.parts(x)
        return self.head(h)
"""


def test_layers_of_another_model_may_have_learned_before() -> None:
    made = TAKEN.replace("PARTS", "nn.Linear(4, 4), nn.ReLU()")
    assert rows(made, Pitfall.GRADIENT_CUT) == [9]
    assert rows(TAKEN.replace("PARTS", "*list(model.children())[:-1]"), Pitfall.GRADIENT_CUT) == []


TRAINED = (
    GATED.replace("MADE", "dim").replace("NAME", "gate").replace("BEGUN", "pass")
    + """
def train(batches):
    net = Gated(4)
    steps = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        steps.zero_grad()
        net(x).sum().backward()
        steps.step()
"""
)


def trained(cut: str) -> list[int]:
    return rows(TRAINED.replace("CUT", cut), Pitfall.GRADIENT_CUT)


def test_a_layer_that_an_optimizer_steps_gets_no_gradient_either() -> None:
    assert trained(".detach()") == [10]
    assert trained("") == []

"""Dropout in a forward that is not told the mode of its module."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
import torch.nn.functional as F

class {name}(nn.Module):
    def __init__(self, p=0.5, off=0.0):
        super().__init__()
        self.p, self.off = p, off

    def forward(self, x):
        {body}
"""


def is_told(body: str, name: str = "Net") -> bool:
    """Whether it is told of a module with that forward."""
    return Pitfall.CONSTANT_DROPOUT in noted(TEXT.format(body=body, name=name))


@pytest.mark.parametrize(
    "body",
    [
        "return F.dropout(x)",
        "return F.dropout2d(x, self.p, inplace=True)",
        "return nn.Dropout(0.1)(x)",
        "return F.dropout(x, self.p) if self.p > 0 else x",
        "return F.scaled_dot_product_attention(x, x, x, dropout_p=self.p)",
    ],
)
def test_dropout_that_is_not_told_the_mode_is_told(body: str) -> None:
    assert is_told(body)


@pytest.mark.parametrize(
    "body",
    [
        "return F.dropout(x, self.p, self.training)",
        "return F.dropout(x, self.p) if self.training else x",
        "return F.dropout(x, 0.0)",
        "return F.dropout(x, self.off)",
        "return F.dropout(x, self.p) if self.p == 0.0 else x",
        "return F.alpha_dropout(x, self.p)",
        "return F.scaled_dot_product_attention(x, x, x)",
        "return nn.Linear(2, 2)(x)",
    ],
)
def test_what_is_told_the_mode_or_drops_nothing_is_quiet(body: str) -> None:
    assert not is_told(body)


def test_dropout_that_tells_how_sure_a_prediction_is_is_meant() -> None:
    assert not is_told("return F.dropout(x)", name="MCDropoutNet")


def test_a_function_outside_of_a_module_may_be_one_of_training() -> None:
    program = """
    import torch.nn.functional as F

    def augment(x):
        return F.dropout(x, 0.1)
    """
    assert Pitfall.CONSTANT_DROPOUT not in noted(program)


ASKED = """
class Net(nn.Module):
    def forward(self, x, perturb{default}):
        {body}
"""


@pytest.mark.parametrize(("default", "told"), [("", False), ("=False", False), ("=True", True)])
@pytest.mark.parametrize(
    "body",
    [
        "return nn.Dropout(0.5)(x) if perturb else x",
        "return nn.Dropout(0.5)(x) if perturb and len(x) > 1 else x",
        "if perturb: x = torch.cat((x, nn.Dropout(0.5)(x)))",
    ],
)
def test_dropout_that_callers_ask_for_is_meant(body: str, default: str, told: bool) -> None:
    text = ASKED.format(default=default, body=body)
    assert (Pitfall.CONSTANT_DROPOUT in noted(text)) is told


def test_dropout_that_callers_need_not_ask_for_is_told() -> None:
    text = ASKED.format(default="", body="return nn.Dropout(0.5)(x) if perturb or x.sum() else x")
    assert Pitfall.CONSTANT_DROPOUT in noted(text)


SCRIPT = """
import torch.nn.functional as F

class Actor(nn.Module):
    def forward(self, x):
        return x

class Critic(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.3)

def show():
    {evaluated}.eval()
    print(actor(critic(torch.ones(2))))

actor = Actor()
critic = Critic()
"""


@pytest.mark.parametrize(("evaluated", "told"), [("actor", False), ("critic", True)])
def test_what_a_script_never_evaluates_is_quiet(evaluated: str, told: bool) -> None:
    assert (Pitfall.CONSTANT_DROPOUT in noted(SCRIPT.format(evaluated=evaluated))) is told


RECOMMENDER = """
import torch.nn.functional as F

class Recommender(nn.Module):
    def forward(self, users):
        return F.dropout(self.encode(users), 0.3)

    def calculate_loss(self, users, items):
        return F.cosine_similarity(self.forward(users), items).mean()

    def predict(self, users):
        return {predicted}(users)
"""


@pytest.mark.parametrize(("predicted", "told"), [("self.encode", False), ("self", True)])
def test_a_forward_that_only_a_loss_calls_is_one_of_training(predicted: str, told: bool) -> None:
    text = RECOMMENDER.format(predicted=predicted)
    assert (Pitfall.CONSTANT_DROPOUT in noted(text)) is told

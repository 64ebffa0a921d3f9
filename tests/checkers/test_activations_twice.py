"""Losses of the result of another activation than the one they expect."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
scores = nn.Linear(2, 3)(torch.ones(4, 2))
labels = torch.tensor([0, 1, 2, 0])
loss = {loss}
loss.backward()
"""


@pytest.mark.parametrize(
    "loss",
    [
        "F.cross_entropy(scores.softmax(1), labels)",
        "nn.CrossEntropyLoss()(torch.sigmoid(scores), labels)",
        "F.binary_cross_entropy_with_logits(scores.sigmoid().view(-1), torch.ones(12))",
        "F.nll_loss(F.softmax(scores, dim=1), labels)",
        "F.nll_loss(scores, labels)",
        "F.kl_div(scores.softmax(1), torch.ones(4, 3) / 3)",
    ],
)
def test_another_activation_than_the_loss_expects_is_told(loss: str) -> None:
    assert kinds(TEXT.format(loss=loss)) == ["activation-twice"]


@pytest.mark.parametrize(
    "loss",
    [
        "F.cross_entropy(scores, labels)",
        "F.cross_entropy(scores.log_softmax(1), labels)",
        "F.cross_entropy(scores.softmax(1) / 0.1, labels)",
        "F.binary_cross_entropy(scores.sigmoid(), torch.ones(4, 3))",
        "F.nll_loss((scores.softmax(1) + 1e-9).log(), labels)",
        "F.nll_loss(F.log_softmax(scores, dim=1), labels)",
    ],
)
def test_what_the_loss_expects_is_quiet(loss: str) -> None:
    assert kinds(TEXT.format(loss=loss)) == []


@pytest.mark.parametrize(
    ("weight", "found"), [("(1 - share)", []), ("share", ["activation-twice"]), ("0.0", [])]
)
def test_a_loss_that_is_weighted_by_zero_is_switched_off(weight: str, found: list[str]) -> None:
    loss = f"F.cross_entropy(scores, labels) + {weight} * F.nll_loss(scores, labels)"
    assert kinds("share = 1\n" + TEXT.format(loss=loss)) == found

"""What was activated before a loss that does so itself."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

STEPS = """
heads = torch.nn.Linear(2, 3)
opt.add_param_group({{"params": heads.parameters()}})
labels = torch.tensor([0, 1, 2, 1])
for _ in range(3):
    loss = net(x).square().mean()
    {lines}
    fit(loss)
"""

WRONG = {
    "softmax": """odds = heads(x).softmax(1)  # here
    loss = loss + torch.nn.functional.cross_entropy(odds, labels)""",
    "softmax of another shape": """odds = torch.softmax(heads(x).view(2, 2, 3), 2)  # here
    loss = loss + torch.nn.functional.cross_entropy(odds.view(4, 3), labels)""",
    "sigmoid": """odds = torch.sigmoid(heads(x)[:, :1])  # here
    loss = loss + torch.nn.functional.binary_cross_entropy_with_logits(odds, y.sigmoid())""",
}

RIGHT = {
    "scores": "loss = loss + torch.nn.functional.cross_entropy(heads(x), labels)",
    "logarithms": """odds = heads(x).softmax(1).log()
    loss = loss + torch.nn.functional.nll_loss(odds, labels)""",
    "attention before the scores": """odds = heads(x).softmax(1) @ torch.randn(3, 3)
    loss = loss + torch.nn.functional.cross_entropy(odds, labels)""",
    "a gate before the scores": """odds = torch.sigmoid(heads(x)[:, :1]) * net(x)
    loss = loss + torch.nn.functional.binary_cross_entropy_with_logits(odds, y.sigmoid())""",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_first_of_two_activations_is_told(name: str, tmp_path: Path) -> None:
    source = STEPS.format(lines=WRONG[name])
    assert told(source, tmp_path) == here("activation-twice", source)


@pytest.mark.parametrize("name", RIGHT)
def test_losses_of_scores_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(STEPS.format(lines=RIGHT[name]), tmp_path) == []


def test_probabilities_in_the_place_of_their_logarithms_are_told(tmp_path: Path) -> None:
    lines = """odds = heads(x).softmax(1)  # here
    loss = loss + torch.nn.functional.nll_loss(odds, labels)"""
    source = STEPS.format(lines=lines)
    assert told(source, tmp_path) == here("activation-twice", source)

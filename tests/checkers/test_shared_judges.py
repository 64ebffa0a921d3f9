"""Optimizers that also have the network which judges the rest of what they train."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

HEAD = "import torch\nfrom torch import nn\n"
TEXT = """
made, judge = {networks}
joint = torch.optim.SGD({joint}, lr=0.1)
own = torch.optim.SGD(judge.parameters(), lr=0.1)
for real in torch.ones(9, 3, 2):
    own.zero_grad()
    {judged}.mean().backward()
    own.step()
    joint.zero_grad()
    {loss}.mean().backward()
    joint.step()
"""
BOTH = "[*made.parameters(), *judge.parameters()]"
KNOWN = "nn.Linear(2, 2), nn.Linear(2, 1)"


def told(
    networks: str = KNOWN,
    joint: str = BOTH,
    judged: str = "(judge(made(real).detach()) - judge(real))",
    loss: str = "judge(made(real))",
) -> bool:
    """Whether it is told where the optimizer is made."""
    text = TEXT.format(networks=networks, joint=joint, judged=judged, loss=loss)
    head = HEAD + "import networks\n"
    return rows(text, Pitfall.FOREIGN_GRADIENT, head) == [3]


@pytest.mark.parametrize("networks", [KNOWN, "networks.Made(), networks.Judge()"])
def test_a_judge_with_an_optimizer_of_its_own_is_told(networks: str) -> None:
    assert told(networks)


def test_an_optimizer_without_the_judge_is_quiet() -> None:
    assert not told(joint="made.parameters()")


def test_a_head_that_is_trained_once_more_on_features_judges_nothing() -> None:
    assert not told(judged="judge(made(real).detach())")


def test_what_trains_both_by_both_losses_is_quiet() -> None:
    assert not told(judged="(judge(made(real)) - judge(real))")


def test_what_comes_before_the_rest_does_not_judge_it() -> None:
    assert not told(loss="made(judge(real).expand(-1, 2))")

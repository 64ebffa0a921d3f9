"""Losses of which one term fits a network, and another one raises what it says."""

import pytest

from tests.vm.running import kinds

JOINT = """
F = torch.nn.functional
trunk, actor, critic = nn.Linear(4, 4), nn.Linear(4, 2), nn.Linear(2, 1)
parts = nn.ModuleList([trunk, actor, critic])
optimizer = torch.optim.Adam(parts.parameters())
for state in torch.randn(3, 8, 4):
    {body}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
FIT = "fit = F.mse_loss(critic(torch.randn(8, 2)), torch.randn(8, 1))"


def told(*lines: str) -> bool:
    return "foreign-gradient" in kinds(JOINT.format(body="\n    ".join(lines)))


@pytest.mark.parametrize(
    "gain",
    [
        "-critic(actor(trunk(state))).mean()",
        "(1.0 - critic(actor(trunk(state)))).sum() / 8",
        "-torch.minimum(critic(actor(trunk(state))), torch.zeros(8, 1)).mean()",
    ],
)
def test_a_term_that_raises_what_another_one_fits_is_told(gain: str) -> None:
    assert told(FIT, f"loss = fit + 0.1 * {gain}")


@pytest.mark.parametrize(
    "lines",
    [
        # What the critic judges is no part of a network of its own.
        (FIT, "loss = fit - 0.1 * critic(torch.randn(8, 2)).mean()"),
        # The whole is fitted: an autoencoder whose code and output are kept small.
        (
            "made = critic(actor(trunk(state)))",
            "loss = F.mse_loss(made, torch.randn(8, 1)) + 0.1 * made.mean()",
        ),
        # A head beside the one that is fitted, on a common trunk.
        (
            "seen = trunk(state)",
            "loss = F.mse_loss(critic(seen[:, :2]), torch.randn(8, 1)) - actor(seen).mean()",
        ),
        # What the actor makes is to be like something, not to be judged well.
        (FIT, "loss = fit + F.l1_loss(critic(actor(trunk(state))), torch.ones(8, 1))"),
        (FIT, "loss = fit - 0.1 * critic(actor(trunk(state)).detach()).mean()"),
    ],
)
def test_what_does_not_raise_what_another_network_is_judged_by_is_not(
    lines: tuple[str, ...],
) -> None:
    assert not told(*lines)

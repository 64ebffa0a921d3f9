"""Steps of one network with the gradients of another one's loss."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

ADVERSARIAL = """
    critic = nn.Linear(1, 1)
    judging = torch.optim.Adam(critic.parameters())
    for x, y in loader:
        loss = critic(y).mean() - critic(model(x){cut}).mean()
        loss.backward()
        judging.step()
        {step}
        model.zero_grad()
        critic.zero_grad()
        own = {own}.mean()
        own.backward()
        optimizer.step()
        model.zero_grad()
        critic.zero_grad()
    """


@pytest.mark.parametrize(
    ("cut", "step", "own", "found"),
    [
        ("", "optimizer.step()", "critic(model(x))", [6]),
        ("", "pass", "critic(model(x))", []),  # the gradients are cleared, and never used
        ("", "optimizer.step()", "model(x)", []),  # both are trained together, then one alone
        (".detach()", "optimizer.step()", "critic(model(x))", []),
    ],
)
def test_a_generator_is_stepped_with_the_loss_of_its_critic(
    cut: str, step: str, own: str, found: list[int]
) -> None:
    text = ADVERSARIAL.format(cut=cut, step=step, own=own)
    assert rows(text, Pitfall.FOREIGN_GRADIENT) == found


DISCREPANCY = """
    head = nn.Linear(1, 1)
    heads = torch.optim.Adam(head.parameters())
    for x, y in loader:
        F.mse_loss(head(model(x)), y).backward()
        heads.step()
        optimizer.step()
        model.zero_grad(), head.zero_grad()
        (-head(model(x)).mean()).backward()
        heads.step()
        model.zero_grad(), head.zero_grad()
        head(model(x)).mean().backward()
        optimizer.step()
        model.zero_grad(), head.zero_grad()
    """


def test_two_networks_that_are_trained_together_and_in_turn() -> None:
    assert rows(DISCREPANCY, Pitfall.FOREIGN_GRADIENT) == []


JOINT = """
    encoder, style = nn.Linear(4, 4), nn.Linear(4, 4)
    encoding = torch.optim.Adam(encoder.parameters())
    styling = torch.optim.Adam(style.parameters())
    for x, y in loader:
        encoding.zero_grad(), styling.zero_grad(), optimizer.zero_grad()
        F.mse_loss(model(encoder(x) + style(x)), y).backward()
        encoding.step(), styling.step(), optimizer.step()
        encoding.zero_grad(), optimizer.zero_grad()
        model(encoder(x) + style(x)).mean().backward()
        encoding.step()
        optimizer.step()
    """


def test_three_networks_that_step_with_one_loss_have_it_together() -> None:
    assert rows(JOINT, Pitfall.FOREIGN_GRADIENT) == []

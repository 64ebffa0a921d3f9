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


PIPELINE = """
    decoder = nn.Linear(1, 4)
    decoding = torch.optim.Adam(decoder.parameters())
    for x, y in loader:
        F.mse_loss(decoder(model(x)), x).backward()
        optimizer.step()
        decoding.step()
        model.zero_grad(), decoder.zero_grad()
        F.mse_loss(model(decoder(y)), y).backward()
        decoding.step()
        model.zero_grad(), decoder.zero_grad()
    """


def test_an_encoder_and_a_decoder_step_with_the_loss_of_what_they_make_together() -> None:
    assert rows(PIPELINE, Pitfall.FOREIGN_GRADIENT) == []


REVERSED = """
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return -grad

    critic = nn.Linear(1, 1)
    judging = torch.optim.Adam(critic.parameters())
    for x, y in loader:
        critic(Reverse.apply(model(x))).mean().backward()
        judging.step()
        optimizer.step()
        model.zero_grad(), critic.zero_grad()
        critic(model(x)).mean().backward()
        optimizer.step()
        model.zero_grad(), critic.zero_grad()
    """


def test_who_turns_the_gradient_of_a_loss_around_has_its_network_step_with_it() -> None:
    assert rows(REVERSED, Pitfall.FOREIGN_GRADIENT) == []


CYCLES = """
    other = nn.Linear(1, 4)
    others = torch.optim.Adam(other.parameters())
    for x, y in loader:
        F.mse_loss(other(model(x)), x).backward()
        F.mse_loss(model(other(y).detach()), y).backward()
        optimizer.step()
        {between}
        others.step()
        model.zero_grad(), other.zero_grad()
    """


@pytest.mark.parametrize(("between", "found"), [("other.zero_grad()", []), ("pass", [5])])
def test_two_terms_of_a_loss_are_one_where_the_other_network_never_steps_with_them(
    between: str, found: list[int]
) -> None:
    assert rows(CYCLES.format(between=between), Pitfall.FOREIGN_GRADIENT) == found


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

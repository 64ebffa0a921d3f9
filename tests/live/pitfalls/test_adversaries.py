"""Gradients that the loss of a discriminator leaves in the generator."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "the fake is not detached": (
        "foreign-gradient",
        """
        judge = torch.nn.Linear(1, 1)
        other = torch.optim.SGD(judge.parameters(), lr=0.1)
        for _ in range(3):
            other.zero_grad()
            loss = (judge(y) - 1).square().mean() + judge(net(x)).square().mean()
            loss.backward()  # here
            other.step()
            (judge(net(x)) - 1).square().mean().backward()
            opt.step()
            opt.zero_grad()
        """,
    ),
}

RIGHT = {
    "it is detached": """
    judge = torch.nn.Linear(1, 1)
    other = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(3):
        other.zero_grad()
        loss = (judge(y) - 1).square().mean() + judge(net(x).detach()).square().mean()
        loss.backward()
        other.step()
        (judge(net(x)) - 1).square().mean().backward()
        opt.step()
        opt.zero_grad()
    """,
    "the generator is cleared before its own loss": """
    judge = torch.nn.Linear(1, 1)
    other = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(3):
        other.zero_grad()
        loss = (judge(y) - 1).square().mean() + judge(net(x)).square().mean()
        loss.backward()
        other.step()
        fit((judge(net(x)) - 1).square().mean())
    """,
    "an encoder that two heads train": """
    one, two = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    first = torch.optim.SGD(one.parameters(), lr=0.1)
    second = torch.optim.SGD(two.parameters(), lr=0.1)
    for _ in range(3):
        for each in (opt, first, second):
            each.zero_grad()
        one(net(x)).square().mean().backward()
        first.step()
        (two(net(x)) - y).square().mean().backward()
        second.step()
        opt.step()
    """,
    "both use the second loss": """
    judge = torch.nn.Linear(1, 1)
    other = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(3):
        other.zero_grad()
        opt.zero_grad()
        (judge(net(x)) - y).square().mean().backward()
        other.step()
        other.zero_grad()
        judge(net(x)).square().mean().backward()
        opt.step()
        other.step()
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_the_first_of_two_losses_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_networks_that_share_a_loss_on_purpose_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

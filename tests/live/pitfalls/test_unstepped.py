"""Optimizers that clear gradients and never step."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "only the first one of several": """
    head = torch.nn.Linear(1, 1)
    opts = [opt, torch.optim.SGD(head.parameters(), lr=0.1)]
    for _ in range(5):
        for one in opts:
            one.zero_grad()
        (head(net(x)) - y).square().mean().backward()  # here
        opts[0].step()
    """,
}

RIGHT = {
    "it steps later": """
    head = torch.nn.Linear(1, 1)
    late = torch.optim.SGD(head.parameters(), lr=0.1)
    for turn in range(6):
        opt.zero_grad()
        late.zero_grad()
        (head(net(x)) - y).square().mean().backward()
        opt.step()
        if turn > 4:
            late.step()
    """,
    "its parameters are moved by hand": """
    head = torch.nn.Linear(1, 1)
    other = torch.optim.SGD(head.parameters(), lr=0.1)
    for turn in range(6):
        opt.zero_grad()
        other.zero_grad()
        (head(net(x)) - y).square().mean().backward()
        opt.step()
        with torch.no_grad():
            for p in head.parameters():
                p.sub_(p.grad, alpha=0.1)
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_an_optimizer_that_clears_what_nothing_has_used_and_never_steps_is_told(
    name: str, tmp_path: Path
) -> None:
    assert told(WRONG[name], tmp_path) == here("optimizer-never-steps", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_optimizers_that_wait_or_whose_parameters_move_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

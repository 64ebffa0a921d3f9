"""Two optimizers that step with one gradient, and one that is made anew for each step."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "two optimizers have the encoder": (
        "stepped-twice",
        """
        other = torch.nn.Linear(1, 1)
        second = torch.optim.SGD([*net.parameters(), *other.parameters()], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            second.zero_grad()
            other(net(x)).square().sum().backward()
            opt.step()
            second.step()  # here
        """,
    ),
    "Adam for each batch": (
        "optimizer-made-anew",
        """
        for _ in range(6):
            opt = torch.optim.Adam(net.parameters())  # here
            fit(net(x).square().sum())
        """,
    ),
}

RIGHT = {
    "a loss for each of two optimizers": """
    second = torch.optim.SGD(net[0].parameters(), lr=0.1)
    for _ in range(4):
        for one in (opt, second):
            one.zero_grad()
            net(x).square().sum().backward()
            one.step()
    """,
    "an optimizer that calls another one": """
    class Doubled(torch.optim.Optimizer):
        def __init__(self, params, base):
            super().__init__(params, {})
            self.base = base
        def step(self, closure=None):
            self.base.step()
    both = Doubled(net.parameters(), opt)
    for _ in range(4):
        both.zero_grad()
        net(x).square().sum().backward()
        both.step()
    """,
    "Adam for each epoch": """
    for _ in range(6):
        opt = torch.optim.Adam(net.parameters())
        for _ in range(2):
            fit(net(x).square().sum())
    """,
    "plain SGD for each batch": """
    for _ in range(6):
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        fit(net(x).square().sum())
    """,
    "adapted to each batch from the same state": """
    state = {name: value.clone() for name, value in net.state_dict().items()}
    for _ in range(6):
        net.load_state_dict(state)
        opt = torch.optim.Adam(net.parameters())
        fit(net(x).square().sum())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_told_where_the_second_one_steps_or_is_made(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_optimizers_that_share_nothing_of_a_step_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

"""Hooks that are put on a parameter once more each time, and hooks that return nothing."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "registered in each epoch": (
        "hook-repeated",
        """
        for _ in range(3):
            net[0].weight.register_hook(lambda gradient: 0.5 * gradient)  # here
            opt.zero_grad()
            net(x).square().sum().backward()
            opt.step()
        """,
    ),
    "with the same factor each time": (
        "hook-repeated",
        """
        def scale(weight, factor):
            weight.register_hook(lambda gradient: factor * gradient)  # here
        for _ in range(3):
            scale(net[0].weight, 0.5)
            opt.zero_grad()
            net(x).square().sum().backward()
            opt.step()
        """,
    ),
    "the reversed gradient is lost": (
        "result-dropped",
        """
        def reverse(gradient):
            reversed = -0.5 * gradient  # here
        for _ in range(2):
            h = net[0](x)
            h.register_hook(reverse)
            opt.zero_grad()
            net[2](h.tanh()).square().sum().backward()
            opt.step()
        """,
    ),
}

RIGHT = {
    "removed again": """
    for _ in range(3):
        handle = net[0].weight.register_hook(lambda gradient: 0.5 * gradient)
        opt.zero_grad()
        net(x).square().sum().backward()
        opt.step()
        handle.remove()
    """,
    "a mask for each": """
    def mask(weight, keep):
        weight.register_hook(lambda gradient: keep * gradient)
    mask(net[0].weight, torch.ones(3, 2))
    mask(net[0].weight, torch.ones(3, 1))
    net(x).square().sum().backward()
    """,
    "one for each parameter": """
    for p in net.parameters():
        p.register_hook(lambda gradient: 0.5 * gradient)
    net(x).square().sum().backward()
    """,
    "one that keeps a norm": """
    norms = {}
    def look(gradient):
        norms["h"] = gradient.norm()
    for _ in range(2):
        h = net[0](x)
        h.register_hook(look)
        opt.zero_grad()
        net[2](h.tanh()).square().sum().backward()
        opt.step()
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_told_where_it_is_registered_or_lost(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_hooks_that_do_their_work_once_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

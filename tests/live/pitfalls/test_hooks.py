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
            fit(net(x).square().sum())
        """,
    ),
    "with the same factor each time": (
        "hook-repeated",
        """
        def scale(weight, factor):
            weight.register_hook(lambda gradient: factor * gradient)  # here
        for _ in range(3):
            scale(net[0].weight, 0.5)
            fit(net(x).square().sum())
        """,
    ),
    "on a module in each epoch": (
        "hook-repeated",
        """
        for _ in range(3):
            net[0].register_forward_hook(lambda module, given, result: 0.9 * result)  # here
            fit(net(x).square().sum())
        """,
    ),
    "the gradients of a module are lost": (
        "result-dropped",
        """
        def reverse(module, given, received):
            given = tuple(-one for one in given if one is not None)  # here
        net[2].register_full_backward_hook(reverse)
        for _ in range(2):
            fit(net(x).square().sum())
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
            fit(net[2](h.tanh()).square().sum())
        """,
    ),
}

RIGHT = {
    "removed again": """
    for _ in range(3):
        handle = net[0].weight.register_hook(lambda gradient: 0.5 * gradient)
        fit(net(x).square().sum())
        handle.remove()
    """,
    "removed again from a module": """
    for _ in range(3):
        handle = net[0].register_forward_hook(lambda module, given, result: 0.9 * result)
        fit(net(x).square().sum())
        handle.remove()
    """,
    "one for each layer": """
    for layer in net:
        layer.register_forward_hook(lambda module, given, result: None)
    fit(net(x).square().sum())
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
        fit(net[2](h.tanh()).square().sum())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_told_where_it_is_registered_or_lost(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_hooks_that_do_their_work_once_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


LATE = """
def mask_all(weights, masks):
    for weight, mask in zip(weights, masks):
        weight.register_hook(lambda gradient{default}: gradient * mask){mark}
weights = [net[0].weight, net[2].weight]
mask_all(weights, [torch.rand_like(one).round() for one in weights])
"""


def test_hooks_of_a_loop_that_all_read_its_last_mask_are_told(tmp_path: Path) -> None:
    source = LATE.format(default="", mark="  # here")
    assert told(source, tmp_path) == here("hook-late-bound", source)


def test_hooks_that_hold_a_mask_each_are_quiet(tmp_path: Path) -> None:
    assert told(LATE.format(default=", mask=mask", mark=""), tmp_path) == []


def test_hooks_of_one_step_each_may_read_what_changes(tmp_path: Path) -> None:
    source = """
    def train():
        for scale in (0.5, 0.25, 0.125):
            h = net[0](x)
            h.register_hook(lambda gradient: gradient * scale)
            fit(net[2](h).square().sum())
    train()
    """
    assert told(source, tmp_path) == []

"""Checkpoints whose function does something else in backward."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "the generators of torch are not put back": """
from torch.utils.checkpoint import checkpoint
drop, told = torch.nn.functional.dropout, {"use_reentrant": False, "preserve_rng_state": False}
for _ in range(3):
    fit(checkpoint(drop, net(x), **told).sum())  # here
""",
    "a branch by Python's generator": """
import random
from torch.utils.checkpoint import checkpoint
def layer(h):
    return h * 0 if random.random() < 0.5 else h * 2
for _ in range(3):
    fit(checkpoint(layer, net(x), use_reentrant=True).square().sum())  # here
""",
}

RIGHT = {
    "the generators of torch are put back": """
from torch.utils.checkpoint import checkpoint
for _ in range(3):
    fit(checkpoint(torch.nn.functional.dropout, net(x), use_reentrant=False).square().sum())
""",
    "numbers that are drawn before": """
import random
from torch.utils.checkpoint import checkpoint
def layer(h, keep):
    return h * keep
for _ in range(3):
    fit(checkpoint(layer, net(x), random.random(), use_reentrant=True).square().sum())
""",
    "statistics that a momentum makes up for": """
from torch.utils.checkpoint import checkpoint
norm = torch.nn.BatchNorm1d(1, momentum=1 - 0.9 ** 0.5)
for _ in range(3):
    fit((checkpoint(norm, net(x), use_reentrant=False) - y).square().sum())
""",
    "variables that go on meaning the same": """
from torch.utils.checkpoint import checkpoint
layers = [torch.nn.Linear(1, 1) for _ in range(2)]
opt.add_param_group({"params": [p for one in layers for p in one.parameters()]})
for _ in range(3):
    h = net(x)
    for layer in layers:
        h = checkpoint(lambda t, layer=layer: layer(t), h, use_reentrant=False)
    fit(h.square().sum())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_functions_that_draw_other_numbers_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("checkpoint-draws-anew", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_functions_that_do_the_same_again_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of torch 2.4, about itself
def test_statistics_that_move_twice_are_told(tmp_path: Path) -> None:
    source = """
    from torch.utils.checkpoint import checkpoint
    norm = torch.nn.BatchNorm1d(1)
    for _ in range(3):
        out = checkpoint(norm, net(x), use_reentrant=False)  # here
        fit((out - y).square().sum())
    """
    assert told(source, tmp_path) == here("statistics-move-twice", source)


def test_a_variable_of_a_loop_that_has_gone_on_is_told(tmp_path: Path) -> None:
    source = """
    from torch.utils.checkpoint import checkpoint
    layers = [torch.nn.Linear(1, 1) for _ in range(2)]
    opt.add_param_group({"params": [p for one in layers for p in one.parameters()]})
    def run(h):
        for layer in layers:
            h = checkpoint(lambda t: layer(t), h, use_reentrant=False)  # here
        return h
    for _ in range(3):
        fit(run(net(x)).square().sum())
    """
    rules = told(source, tmp_path)
    assert here("late-binding", source)[0] in rules

"""Autocast regions around loops that train."""

import pytest

from tests.vm.running import kinds

REGION = """
def train(model, optimizer, batches):
    {with_}
        for x in batches:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
"""


def test_a_region_around_a_loop_that_steps_is_told() -> None:
    assert kinds(REGION.format(with_='with torch.autocast("cuda"):')) == ["autocast-around-steps"]


@pytest.mark.parametrize(
    "with_",
    [
        'with torch.autocast("cuda", enabled=False):',
        'with torch.autocast("cuda", cache_enabled=False):',
        'with torch.autocast("cuda", dtype=torch.float32):',
        "with torch.enable_grad():",
    ],
)
def test_a_region_that_keeps_no_casts_is_not(with_: str) -> None:
    assert kinds(REGION.format(with_=with_)) == []


def test_a_region_in_each_round_is_not() -> None:
    text = """
def train(model, optimizer, batches):
    for x in batches:
        with torch.autocast("cuda"):
            loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""
    assert kinds(text) == []

"""Checkpoints of the program's own that draw again."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

TEXT = """
class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, block, x):
        ctx.block, ctx.x = block, x.detach()
        with torch.no_grad():
            return {first}

    @staticmethod
    def backward(ctx, grad):
        x = ctx.x.requires_grad_()
        with torch.enable_grad():
            out = ctx.block(x)
        return None, *torch.autograd.grad(out, x, grad)

block = {block}
x = torch.ones(3, requires_grad=True)
Checkpoint.apply(block, x).sum().backward()
"""


def told(block: str, first: str = "block(x)", text: str = TEXT) -> bool:
    return rows(text.format(block=block, first=first), Pitfall.DRAWN_ANEW) == [13]


@pytest.mark.parametrize(
    "block", ["nn.Dropout(0.5)", "F.dropout", "nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))"]
)
def test_dropout_that_backward_runs_again_is_told(block: str) -> None:
    assert told(block)


@pytest.mark.parametrize("block", ["nn.Dropout(0.0)", "nn.Dropout(0.5).eval()", "nn.Linear(3, 3)"])
def test_a_block_that_draws_nothing_is_quiet(block: str) -> None:
    assert not told(block)


def test_a_state_that_is_put_back_is_quiet() -> None:
    assert not told("F.dropout", text=TEXT + "torch.set_rng_state(torch.get_rng_state())\n")


def test_what_only_backward_draws_is_no_second_draw() -> None:
    assert not told("F.dropout", first="x * 2")

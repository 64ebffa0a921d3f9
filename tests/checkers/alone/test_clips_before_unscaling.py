"""Clipping before a gradient scaler divides the gradients, seen in the text of a file alone."""

import pytest

from autograd_lint.checkers.alone.clips_before_unscaling import judge
from tests.checkers.noting import told_at

TRAINER = """
from torch.nn.utils import clip_grad_norm_
from torch.cuda.amp import GradScaler
class Trainer:
    def __init__(self):
        self.scaler = GradScaler()
    def update(self, net):
        {before}
        {clip}
        {step}
"""
CLIP, STEP = "clip_grad_norm_(net.parameters(), 1)", "self.scaler.step(self.optimizer)"


def is_told(before: str = "pass", clip: str = CLIP, step: str = STEP) -> bool:
    """Whether the clipping of such a trainer is told."""
    return told_at(judge, TRAINER.format(before=before, clip=clip, step=step)) == [9]


@pytest.mark.parametrize(
    "clip", [CLIP, f"if self.bound is not None: {CLIP}", f"norm = nn.utils.{CLIP}"]
)
def test_gradients_that_are_clipped_before_the_step_of_a_scaler_are_told(clip: str) -> None:
    assert is_told(clip=clip)


def test_what_is_commented_out_unscales_nothing() -> None:
    assert is_told(before="pass  # self.scaler.unscale_(self.optimizer)")


@pytest.mark.parametrize(
    "parts",
    [
        {"before": "self.scaler.unscale_(self.optimizer)"},
        {"step": "self.optimizer.step()"},
        {"step": f"if self.fp16: {STEP}"},
        {"clip": f"if not self.amp: {CLIP}"},
        {"clip": f"accelerator.{CLIP}"},
        {"clip": STEP, "step": CLIP},
    ],
)
def test_what_is_unscaled_or_not_scaled_is_quiet(parts: dict[str, str]) -> None:
    assert not is_told(**parts)

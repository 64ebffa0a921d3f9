"""What the gradient of a function without a finite derivative rests on."""

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source

LOSS = """
import torch

class Loss(torch.nn.Module):
    def forward(self, made: torch.Tensor, wanted):
        wanted = wanted.data.requires_grad_({trained})
        return torch.where(made > 0, made.sqrt(), 0.0).mean(){more}
"""


def kinds_assumed(trained: str = "False", more: str = "") -> set[str]:
    """The kinds of what the finding rests on."""
    text = LOSS.format(trained=trained, more=more)
    found = [one for one in analyse(Source("a.py", text)) if one.kind.value == "masked-singularity"]
    return {why.name for fault in found for why in fault.assumptions}


def test_a_gradient_without_a_way_around_depends_on_the_backward_alone() -> None:
    assert kinds_assumed() == {"condition-lays-aside", "result-trained"}


def test_a_backward_may_be_for_something_else() -> None:
    assert "argument-requires-grad" in kinds_assumed("True", " + wanted.mean()")

"""`x.requires_grad` in a condition: where it is false, nothing requires grad because of `x`."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.source import Source

PROGRAM = """import torch
def bounds(image: torch.Tensor):
    high = image.max(0)[0]
    low = torch.empty_like(high)
    if {condition}:
        torch.add(high, 1, out=low)
    (low * high).exp().mul_(2).sum().backward()
"""


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("image.requires_grad", True),
        ("not image.requires_grad", False),
        ("not high.requires_grad", False),
    ],
)
def test_what_was_computed_before_it_was_asked(condition: str, told: bool) -> None:
    faults = analyse(Source("a.py", PROGRAM.format(condition=condition)))
    assert any(fault.kind is FaultKind.OTHER for fault in faults) == told

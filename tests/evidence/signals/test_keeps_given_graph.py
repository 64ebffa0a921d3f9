"""Graphs that only what a function is given could have."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source

TRAINED = """import torch

def train(model, features):
    scale = {scale}
    (model(torch.ones(2)) * scale).sum().backward()
    (model(torch.ones(2)) * scale).sum().backward()
"""


@pytest.mark.parametrize(
    ("scale", "speaks"),
    [("features[:, 1:] * 2", True), ("torch.ones(1, 2, requires_grad=True) * 2", False)],
)
def test_it_speaks_where_the_graph_is_that_of_an_argument(scale: str, speaks: bool) -> None:
    (fault,) = analyse(Source("a.py", TRAINED.format(scale=scale)))
    assert ("keeps-given-graph" in fault.signals) is speaks

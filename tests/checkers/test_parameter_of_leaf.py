"""A parameter made from a tensor that already requires grad."""

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source

MODULE = """\
import torch
from torch import nn
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((3,), 0.1, requires_grad=True))
    def forward(self, x):
        return self.scale * x
net = Scale()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(3)).sum().backward()
    optimizer.step()
"""


def test_a_leaf_made_for_the_parameter_is_no_cut() -> None:
    assert analyse(Source("a.py", MODULE)) == []


NAMED = MODULE.replace("torch.full((3,), 0.1, requires_grad=True)", "first").replace(
    "        self.scale", "        first = torch.ones(3, requires_grad=True)\n        self.scale", 1
)


def test_a_parameter_takes_the_place_of_a_leaf_with_a_local_name() -> None:
    assert analyse(Source("a.py", NAMED)) == []

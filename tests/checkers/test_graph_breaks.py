"""Cuts on the only way to a parameter, where something else is computed from it."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

ROUTER = """\
import torch
from torch import nn
from torch.nn import functional as F
from others import loader

class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(4, 8))
        self.pool = nn.Parameter(torch.randn(4, 8))

    def forward(self, x):
        near = x @ self.keys.t()
        best = torch.topk(1 - near, 2, dim=1).indices
        {kept}
        return self.pool[best].mean(1)

    def pull(self):
        return -self.last.mean()

net = Router()
optimizer = torch.optim.Adam(net.parameters())
for x, y in loader:
    loss = F.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        net(x)
"""


@pytest.mark.parametrize(
    ("kept", "assumed"),
    [
        ("self.last = near.gather(1, best)", True),
        ("self.last = near", False),
        ("self.last = near.detach()", False),
        ("pass", False),
    ],
)
def test_what_an_object_keeps_beside_the_cut_may_be_a_term_of_the_loss(
    kept: str, assumed: bool
) -> None:
    faults = analyse(Source("program.py", ROUTER.format(kept=kept)))
    (found,) = (one for one in faults if one.kind is Pitfall.GRADIENT_CUT)
    assert (Kind.KEPT_UNUSED in {why.kind for why in found.assumptions}) is assumed

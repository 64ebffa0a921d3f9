"""Cuts on the only way to a parameter, where something else is computed from it."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.vm.running import kinds

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


TABLE = """\
import torch
from torch import nn

class Biased(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(3, 3)
        self.table = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        x = (self.mix(x) + {used}).softmax(-1)
        {after}
        return x.square().mean()

net = Biased()
optimizer = torch.optim.SGD({given}, lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(2, 3)).backward()
    optimizer.step()
"""


def cuts(used: str, after: str = "pass", given: str = "net.parameters()") -> int:
    """How many cuts are told of a module that uses the values of its parameter."""
    faults = analyse(Source("program.py", TABLE.format(used=used, after=after, given=given)))
    return sum(one.kind is Pitfall.GRADIENT_CUT for one in faults)


@pytest.mark.parametrize("used", ["self.table.detach()", "self.table.data", "self.table.data * 2"])
def test_the_values_of_a_parameter_that_is_stepped_and_used_nowhere_else(used: str) -> None:
    assert cuts(used) == 1


@pytest.mark.parametrize(
    ("used", "after", "given"),
    [
        ("self.table.detach() + self.table", "pass", "net.parameters()"),
        (
            "self.table.detach()",
            "self.table.data.mul_(0.9).add_(x.mean(0).data)",
            "net.parameters()",
        ),
        ("self.table.detach()", "pass", "net.mix.parameters()"),
    ],
)
def test_values_may_be_taken_of_what_is_trained_otherwise_or_not_at_all(
    used: str, after: str, given: str
) -> None:
    assert cuts(used, after, given) == 0


HYPER = """
rate = nn.Parameter(torch.zeros(1))
steps = torch.optim.SGD([rate], lr=0.1)
for x, y in library.tasks():
    w = torch.zeros(4, requires_grad=True)
    inner = ((x @ w - y) ** 2).mean() + rate.exp() * (w ** 2).sum()
    (g,) = torch.autograd.grad(inner, w{graph})
    outer = ((x @ (w - 0.1 * g) - y) ** 2).mean()
    steps.zero_grad()
    outer.backward()
    {then}
    steps.step()
"""


def test_what_is_only_in_a_gradient_without_a_graph_is_not_trained() -> None:
    assert kinds(HYPER.format(graph="", then="pass")) == ["gradient-cut"]
    assert kinds(HYPER.format(graph=", create_graph=True", then="pass")) == []


def test_what_the_program_gives_a_gradient_itself_is() -> None:
    assert kinds(HYPER.format(graph="", then="rate.grad = -g.sum(0, keepdim=True)")) == []


GIVEN = """
def train(model, loader, criterion, optimizer):
    model.train()
    for x, y in loader:
        out = {out}
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    "out",
    [
        "model(x).argmax(1).float()",
        "torch.from_numpy(model(x).detach().numpy())",
        "model(x).detach()",
        "torch.tensor(model(x).tolist())",
    ],
)
def test_what_a_given_criterion_gets_without_its_graph_trains_nothing(out: str) -> None:
    assert kinds(GIVEN.format(out=out)) == ["gradient-cut"]


def test_a_given_criterion_may_know_the_model_otherwise() -> None:
    assert kinds(GIVEN.format(out="model(x)")) == []
    known = GIVEN.replace("criterion(out, y)", "criterion(out, y, model)")
    assert kinds(known.format(out="model(x).detach()")) == []
    target = GIVEN.replace("criterion(out, y)", "criterion(model(y), out)")
    assert kinds(target.format(out="model(x).detach()")) == []

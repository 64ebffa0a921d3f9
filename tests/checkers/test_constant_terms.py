"""Terms of a loss that another function has detached."""

import pytest

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import faults, kinds

TEXT = """
class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def forward(self, x):
        return {energy}


def sampled(energy, x):
    x = x.clone().requires_grad_(True)
    (slope,) = torch.autograd.grad(energy(x).sum(), x)
    return (x - 0.1 * slope).detach()


energy = Energy()
optimizer = torch.optim.SGD(energy.parameters(), lr=0.1)
for _ in range(3):
    found = sampled(energy, torch.randn(8, 2))
    loss = energy(torch.randn(8, 2)).mean() - {term}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def told(
    energy: str = "self.net(x).squeeze(-1) + 0.05 * x.square().sum(-1)",
    term: str = "energy(found).mean()",
) -> list[str]:
    return kinds(TEXT.format(energy=energy, term=term))


def test_a_term_of_samples_that_the_loss_computes_with_elsewhere_is_quiet() -> None:
    assert told() == []


def test_a_term_of_nothing_but_what_another_function_has_detached_is_told() -> None:
    assert told(term="found.square().mean()") == ["constant-loss-term"]


BALANCE = """
class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 4)

    {decorator}
    def balance(self, probs, index):
        share = nn.functional.one_hot(index, 4).float().mean(0)
        return 4 * (share * probs.mean(0)).sum()

    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        _, index = probs.max(-1)
        return probs, self.balance(probs, index)

router, head = Router(), nn.Linear(4, 2)
optimizer = torch.optim.SGD([*router.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    probs, balance = router(torch.randn(5, 3))
    loss = head(probs).square().sum() + 0.1 * balance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_what_only_counts_choices_does_not_say_that_a_term_is_to_be_a_constant() -> None:
    assert kinds(BALANCE.format(decorator="@torch.no_grad()")) == ["constant-loss-term"]
    assert kinds(BALANCE.format(decorator="")) == []


PARTS = """
def train(model, optimizer, loader):
    for x, (y, z) in loader:
        first, second = model(x)
        loss = F.mse_loss(first, y) + {term}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("term", "assumed"),
    [
        ("F.mse_loss(second, z).item()", {Kind.TERM_OF_LOSS}),
        ("second.mean().item()", {Kind.REQUIRES_GRAD}),
    ],
)
def test_the_part_of_a_result_that_a_loss_compares_is_a_prediction(
    term: str, assumed: set[Kind]
) -> None:
    (fault,) = [
        one
        for one in faults("import torch.nn.functional as F\n" + PARTS.format(term=term))
        if one.kind is Pitfall.CONSTANT_TERM
    ]
    assert assumed <= {why.kind for why in fault.assumptions}

"""Terms of a loss that another function has detached."""

from tests.vm.running import kinds

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

"""Gradients that are asked for what is computed of data alone."""

from autograd_lint.engine.assumptions import Kind
from tests.vm.running import faults, kinds

TRAIN = """
def penalty(critic, real, fake):
    mixed = {}
    gradient = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)[0]
    return gradient.norm()

def train(loader):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    opt = torch.optim.SGD(critic.parameters(), 0.1)
    for real in loader:
        fake = generator(torch.randn(8, 4)){}
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
MIXED = "0.5 * real + 0.5 * fake"


def test_what_is_computed_of_data_alone_has_no_gradient() -> None:
    (fault,) = faults(TRAIN.format(MIXED, ".detach()"))
    assert fault.kind.value == "unused-input"
    assert Kind.IS_DATA in {why.kind for why in fault.assumptions}


def test_what_has_a_graph_by_another_way_or_is_made_to_require_grad_has_a_gradient() -> None:
    assert "unused-input" not in kinds(TRAIN.format(MIXED, ""))
    assert kinds(TRAIN.format(f"({MIXED}).requires_grad_()", ".detach()")) == []


FLAGGED = """
def attack(model, loader):
    for x, y in loader:
        moved = x
        moved.requires_grad = True
        for i in range(3):
            gradient = torch.autograd.grad(model(moved).sum(), moved)[0]
            moved.data += gradient.sign()
            moved = torch.where(moved > x, moved, x)
"""


def test_data_that_was_asked_to_require_grad_has_gradients() -> None:
    assert "unused-input" not in kinds(FLAGGED)

"""Gradients that are cleared in ways of a program's own."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted
from tests.vm.running import kinds

MANY = """
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range(60)])

        def zero_grad(self):
            for p in self.parameters():
                {cleared}

        def forward(self, x):
            return self.layers(x)

    deep = Deep()
    optimizer = torch.optim.SGD(deep.parameters(), lr=0.1)
    for x, _ in loader:
        deep.zero_grad()
        deep(x).sum().backward()
        optimizer.step()
    """


@pytest.mark.parametrize(("cleared", "missing"), [("p.grad = None", False), ("print(p)", True)])
def test_a_loop_over_many_parameters_clears_all(cleared: str, missing: bool) -> None:
    assert (Pitfall.MISSING_ZERO_GRAD in noted(MANY.format(cleared=cleared))) is missing


TRAINED = """
from losses import other
def train(net, data):
    optimizer = torch.optim.Adam(net.parameters())
    for x in data:
        loss = net(x)
        {steps}
"""


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("loss.backward(); optimizer.zero_grad(); optimizer.step()", True),
        ("optimizer.zero_grad(); loss.backward(); optimizer.step()", False),
        ("loss.backward(); optimizer.step(); optimizer.zero_grad()", False),
        # The second loss may lead to the same network.
        ("loss.backward(); optimizer.zero_grad(); other(x).backward(); optimizer.step()", False),
        ("loss.backward(); optimizer.zero_grad(); engine.backward(x); optimizer.step()", False),
    ],
)
def test_gradients_of_an_unknown_model_cleared_before_every_step(steps: str, found: bool) -> None:
    expected = [Pitfall.ZERO_GRAD_BEFORE_STEP.value] if found else []
    assert kinds(TRAINED.format(steps=steps)) == expected


@pytest.mark.parametrize(
    ("after", "missing"),
    [
        ("p.grad.copy_(torch.ones_like(p))", False),
        ("p.grad = torch.ones_like(p)", False),
        ("p.grad.fill_(1.0)", False),
        ("p.grad.mul_(0.5)", True),
        ("print(p.grad)", True),
    ],
)
def test_gradients_that_are_replaced_before_a_step_do_not_pile_up(
    after: str, missing: bool
) -> None:
    found = noted(
        f"""
        for x, _ in loader:
            model(x).sum().backward()
            for p in model.parameters():
                {after}
            optimizer.step()
        """
    )
    assert (Pitfall.MISSING_ZERO_GRAD in found) is missing

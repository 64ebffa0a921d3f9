"""Parameters that an optimizer has, and that only decide what is computed."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

CHOICE = """
class Choice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)])
        self.alpha = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        {first}
        return {result}

choice = Choice()
steps = torch.optim.SGD(choice.parameters(), lr=0.1)
for x, y in loader:
    loss = F.mse_loss(choice(x), y)
    steps.zero_grad()
    loss.backward()
    steps.step()
    {then}
"""


def cut(first: str, result: str, then: str = "pass") -> list[int]:
    program = CHOICE.format(first=first, result=result, then=then)
    return rows(program, Pitfall.GRADIENT_CUT)


@pytest.mark.parametrize(
    ("first", "result"),
    [
        ("best = int(self.alpha.softmax(0).argmax())", "self.layers[best](x)"),
        ("flag = self.alpha[0] > 0.5", "self.layers[0](x) if flag else self.layers[1](x)"),
    ],
)
def test_what_only_decides_gets_no_gradient(first: str, result: str) -> None:
    assert cut(first, result) == [9]


def test_what_is_computed_with_beside_a_decision_gets_one() -> None:
    chosen = "self.layers[best](x) * self.alpha[best]"
    assert cut("best = int(self.alpha.argmax())", chosen) == []


def test_what_the_program_moves_itself_needs_none() -> None:
    first, result = "best = int(self.alpha.argmax())", "self.layers[best](x)"
    assert cut(first, result, "choice.alpha.data.add_(0.1)") == []

"""Optimizers that step in programs that run no backward."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import HEAD, noted

STEPPED = """
from elsewhere import finish
for x, y in loader:
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    {then}
    optimizer.step()
"""


def is_told(then: str, program: str = STEPPED) -> bool:
    return Pitfall.NO_GRADIENTS in noted(program.format(then=then))


def test_a_step_without_any_backward_moves_nothing() -> None:
    assert is_told("print(loss.item())")
    assert not is_told("loss.backward()")


@pytest.mark.parametrize(
    "then",
    [
        "finish(loss)",
        "model[0].weight.grad = torch.ones(8, 4)",
        "loss.backward() if x is None else None",
    ],
)
def test_a_step_may_find_gradients_that_the_run_does_not_show(then: str) -> None:
    assert not is_told(then)


def test_a_step_that_only_moves_a_schedule_is_meant() -> None:
    plotted = "rates = []\nfor _ in range(9):\n    optimizer.step()\n    rates.append({then})"
    assert not is_told("optimizer.param_groups[0]['lr']", plotted)


CLOSURE = """
searching = torch.optim.LBFGS(model.parameters())

def closure():
    searching.zero_grad()
    return F.mse_loss(model(inputs), outputs)

for inputs, outputs in loader:
    searching.step(closure)
"""


def test_the_closure_that_runs_no_backward_is_named() -> None:
    program = Source("program.py", HEAD + CLOSURE)
    (fault,) = [one for one in analyse(program) if one.kind is Pitfall.NO_GRADIENTS]
    (named,) = fault.noted
    assert named.place is not None
    assert program.lines[named.place.row - 1] == "def closure():"

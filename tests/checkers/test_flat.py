"""Operators of zero derivative on the only way to what is trained."""

import pytest
import torch

from tests.vm.running import certain, kinds

QUANTIZED = """
first, second = nn.Linear(2, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
hidden = first(torch.ones(1, 2))
loss = second({passed}).mean()
loss.backward()
optimizer.step()
"""


@pytest.mark.parametrize("operator", ["round", "floor", "ceil", "trunc", "sign", "sgn"])
def test_what_lies_only_behind_such_an_operator_gets_no_gradient(operator: str) -> None:
    assert certain(QUANTIZED.format(passed=f"hidden.{operator}()")) == ["gradient-cut"]
    x = torch.rand(3, requires_grad=True)
    getattr(x, operator)().sum().backward()
    assert x.grad is not None and not x.grad.any()


@pytest.mark.parametrize(
    "passed",
    [
        "hidden + (hidden.round() - hidden).detach()",
        "hidden.sign() * hidden.abs()",
        "hidden.round() + hidden",
        "hidden.frac()",
    ],
)
def test_another_way_or_a_straight_through_estimator_is_enough(passed: str) -> None:
    assert kinds(QUANTIZED.format(passed=passed)) == []


def test_an_operator_whose_derivative_is_missing_makes_no_constant() -> None:
    program = """
w, v = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
loss = torch.heaviside(w, torch.rand(3)).sum() + v.sum()
loss.backward()
"""
    assert certain(program) == ["other"]
    w = torch.rand(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="not implemented"):
        torch.heaviside(w, torch.rand(3)).sum().backward()

"""Modules whose `forward` runs a backward of its own, and goes on computing."""

import pytest
import torch
from torch import nn

from tests.vm.running import kinds

MODULE = """
class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(2, 2)
        self.codes = nn.Linear(2, 2)
        self.optimizer = torch.optim.SGD(self.codes.parameters(), lr=0.1)

    def forward(self, x):
        x = self.project(x)
        inner = x{inner}
        near = self.codes(inner).tanh()
        loss = ((near - inner) ** 2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {result}
"""
CASES = [
    ("", "x + (self.codes(inner).tanh() - x).detach()", True),
    (".detach()", "x + (self.codes(inner).tanh() - x).detach()", False),
    ("", "near.detach()", False),
]


@pytest.mark.parametrize(("inner", "result", "told"), CASES)
def test_what_is_given_back_is_trained_by_the_caller(inner: str, result: str, told: bool) -> None:
    assert ("graph-freed" in kinds(MODULE.format(inner=inner, result=result))) == told


@pytest.mark.parametrize(("inner", "result", "told"), CASES)
def test_so_does_the_real_engine(inner: str, result: str, told: bool) -> None:
    names: dict[str, type[nn.Module]] = {"torch": torch, "nn": nn}  # type: ignore[dict-item]
    exec(MODULE.format(inner=inner, result=result), names)
    given_back = names["Codes"]()(torch.ones(3, 2))
    if told:
        with pytest.raises(RuntimeError, match="second time"):
            given_back.sum().backward()
    elif given_back.requires_grad:
        given_back.sum().backward()


@pytest.mark.parametrize("result", ["loss", "(near, loss)", "near"])
def test_what_backward_has_gone_through_is_for_the_log(result: str) -> None:
    assert kinds(MODULE.format(inner=".detach()", result=result)) == []

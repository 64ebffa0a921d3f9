"""Similarities of each row with all rows, which are one on the diagonal."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

HEAD = """\
import torch
import torch.nn.functional as F
x = torch.randn(5, 4, requires_grad=True)
unit, other = F.normalize(x, dim=1), F.normalize(torch.randn(5, 4), dim=1)
scaled = x / x.norm(dim=1, keepdim=True)
"""


@pytest.mark.parametrize(
    "angle",
    [
        "torch.acos(unit @ unit.t())",
        "torch.mm(unit, unit.T).clamp(max=1.0).acos()",
        "torch.acos(torch.matmul(scaled, scaled.transpose(0, 1)))",
        "torch.acos(F.cosine_similarity(x[None], x[:, None], dim=-1))",
        "(1 - unit @ unit.t()).sqrt()",
    ],
)
def test_a_row_is_as_similar_to_itself_as_can_be(angle: str) -> None:
    program = f"y = {angle}\ny.sum().backward()\n"
    assert rows(program, Pitfall.SINGULAR_AT_ZERO, HEAD) == [1]


@pytest.mark.parametrize(
    "angle",
    [
        "torch.acos(unit @ other.t())",
        "torch.acos((unit @ unit.t()).clamp(-0.999, 0.999))",
        "torch.acos(torch.tanh(x @ x.t()))",
        "torch.acos(F.cosine_similarity(x, torch.randn(5, 4)))",
        "(1.1 - unit @ unit.t()).sqrt()",
    ],
)
def test_what_is_less_than_one_has_a_derivative(angle: str) -> None:
    program = f"y = {angle}\ny.sum().backward()\n"
    assert rows(program, Pitfall.SINGULAR_AT_ZERO, HEAD) == []

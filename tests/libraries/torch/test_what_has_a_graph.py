"""Calls of which is easily mistaken whether they have a graph."""

import pytest

from autograd_lint.engine.faults import FaultKind
from tests.checkers.noting import rows

HEAD = """\
import numpy as np
import torch
import torch.nn.functional as F

weight = torch.randn(5, 3, requires_grad=True)
mean = weight * 1


class Found:
    def __init__(self, context):
        self.context = context


"""


@pytest.mark.parametrize(
    "loss",
    [
        "torch.normal(mean=mean, std=1.0)",
        "torch.normal(0.0, std=mean.exp())",
        'F.embedding_bag(torch.tensor([1, 2]), weight, torch.tensor([0]), mode="sum")',
        "F.embedding_bag(torch.tensor([1, 2]), weight, torch.tensor([0]), "
        'mode="sum", per_sample_weights=torch.ones(2))',
    ],
)
def test_what_leads_back_to_a_leaf_can_be_differentiated(loss: str) -> None:
    program = f"loss = {loss}\nloss.sum().backward()"
    assert rows(program, FaultKind.NO_GRAD_ROOT, HEAD) == []


def test_numbers_that_are_drawn_from_have_no_graph() -> None:
    program = "loss = torch.normal(mean=0.0, std=1.0, size=(3,))\nloss.sum().backward()"
    assert rows(program, FaultKind.NO_GRAD_ROOT, HEAD) == [2]


@pytest.mark.parametrize(
    ("given", "refused"),
    [("[mean.sum()]", True), ("[[mean.sum()]]", True), ("[Found(mean)]", False)],
)
def test_an_array_of_objects_does_not_convert_what_they_hold(given: str, refused: bool) -> None:
    assert bool(rows(f"np.asarray({given})", FaultKind.NUMPY_ON_GRAD, HEAD)) is refused

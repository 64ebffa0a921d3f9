"""Leaves of plain numbers that are given back in the place of a loss."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import kinds

METHOD = """
class Trainer:
    def compute(self, model, inputs):
        rows, mask = inputs["rows"], inputs["mask"]
        if mask.sum() == 0:
            return {early}
        out = model(rows)
        return {usual}
"""


@pytest.mark.parametrize(
    ("early", "usual", "told"),
    [
        ("torch.tensor(0.0, device=rows.device, requires_grad=True)", "(out * mask).sum()", True),
        ("torch.zeros(1).requires_grad_(), {}", "(out * mask).sum(), {'out': 1}", True),
        ("torch.tensor(0.0, device=rows.device)", "(out * mask).sum()", False),
        ("model(rows).sum() * 0", "(out * mask).sum()", False),
        ("torch.zeros(3, requires_grad=True)", "(out * mask).sum()", False),
        ("torch.zeros(1, requires_grad=True)", "torch.ones(1, requires_grad=True)", False),
        ("torch.zeros(1, requires_grad=True)", "None", False),
    ],
)
def test_one_way_of_a_function_returns_a_leaf(early: str, usual: str, told: bool) -> None:
    found = kinds("import torch\n" + METHOD.format(early=early, usual=usual))
    assert (Pitfall.LEAF_FOR_LOSS.value in found) == told


def test_a_step_of_a_module_returns_a_leaf() -> None:
    found = kinds(
        "import torch\n"
        "class Head(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layer = torch.nn.Linear(2, 1)\n"
        "    def forward(self, rows):\n"
        "        if len(rows) == 0:\n"
        "            return torch.tensor(0.0, requires_grad=True)\n"
        "        return self.layer(rows).mean()\n"
    )
    assert Pitfall.LEAF_FOR_LOSS.value in found

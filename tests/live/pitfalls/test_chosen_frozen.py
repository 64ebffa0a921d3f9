"""Factors of zeros that a choice by name leaves frozen."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

ADAPTER = """
class Adapted(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.loraA = torch.nn.Parameter(torch.randn(2, 2))
        self.loraB = torch.nn.Parameter(torch.zeros({rows}, 2))
    def forward(self, x):
        return self.inner(x) + x @ self.loraA @ self.loraB.t()
net[0] = Adapted(net[0])
for name, p in net.named_parameters():
    p.requires_grad_({chosen} in name or name[0] == "2"){mark}
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
for _ in range(3):
    fit((net(x) - y).square().mean())
"""

WRONG = {
    "a name that no adapter has": ADAPTER.format(rows=3, chosen="'lora_'", mark="  # here"),
}

RIGHT = {
    "a name that they have": ADAPTER.format(rows=3, chosen="'lora'", mark=""),
    "factors that are unfrozen later": ADAPTER.format(rows=3, chosen="'lora_'", mark="")
    + """
net[0].loraB.requires_grad_(True)
opt.add_param_group(dict(params=[net[0].loraB]))
for _ in range(3):
    fit((net(x) - y).square().mean())
""",
    "a reference that is frozen as a whole": """
import copy
with torch.no_grad():
    net[2].weight.zero_()
reference = copy.deepcopy(net).requires_grad_(False)
for _ in range(3):
    fit((net(x) - reference(x)).square().mean() + (net(x) - y).square().mean())
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_zeros_that_stay_frozen_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("adapter-frozen", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_trained_or_a_reference_is_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []

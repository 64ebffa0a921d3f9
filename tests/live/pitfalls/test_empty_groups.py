"""Groups of an optimizer that are empty."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

GROUPS = """
named = [*net.named_parameters()]
exempt = [p for n, p in named if {chosen}]
decayed = [p for n, p in named if not ({chosen})]
opt = torch.optim.AdamW([{groups}]){mark}
for _ in range(3):
    fit((net(x) - y).square().mean())
"""
BOTH = "dict(params=decayed, weight_decay=0.1), dict(params=exempt, weight_decay=0.0)"
ALIKE = "dict(params=decayed), dict(params=exempt, lr=0.1)"

WRONG = {
    "whole names that no parameter has": GROUPS.format(
        chosen="n in ['bias']", groups=BOTH, mark="  # here"
    ),
}

RIGHT = {
    "ends of names": GROUPS.format(chosen="n.endswith('bias')", groups=BOTH, mark=""),
    "groups that differ in their rate": GROUPS.format(
        chosen="n in ['bias']", groups=ALIKE, mark=""
    ),
    "a network without biases": """
net = torch.nn.Sequential(torch.nn.Linear(2, 3, bias=False), torch.nn.Linear(3, 1, bias=False))
"""
    + GROUPS.format(chosen="n.endswith('bias')", groups=BOTH, mark=""),
}


@pytest.mark.parametrize("case", WRONG)
def test_decayed_biases_beside_an_empty_group_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("name-never-matches", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_choices_that_match_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []

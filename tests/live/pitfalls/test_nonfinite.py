"""Operators at which a gradient stops being a number."""

from pathlib import Path

from tests.live.pitfalls.training import here, told

MISSING = """
y[0] = float("nan")
known = ~y.isnan()
for _ in range(2):
    opt.zero_grad()
    {loss}.backward()
    print(net[0].weight.grad)
"""
EQUAL = """
for _ in range(2):
    opt.zero_grad()
    h = net(x).expand(4, 3) * torch.tensor({factors})
    values, vectors = torch.linalg.eigh(h.T @ h){mark}
    (vectors @ torch.diag(values.clamp(min=0.1)) @ vectors.T).sum().backward()
    print(net[0].weight.grad)
"""


def test_targets_that_are_laid_aside_after_the_comparison_are_told(tmp_path: Path) -> None:
    source = MISSING.format(loss="(net(x) - y).square()[known].mean()")
    assert [rule for rule, _ in told(source, tmp_path)] == ["masked-singularity"]


def test_targets_that_are_laid_aside_before_it_are_quiet(tmp_path: Path) -> None:
    assert told(MISSING.format(loss="(net(x)[known] - y[known]).square().mean()"), tmp_path) == []


def test_vectors_of_equal_values_are_told(tmp_path: Path) -> None:
    source = EQUAL.format(factors="[1.0, 0.0, 0.0]", mark="  # here")
    assert told(source, tmp_path) == here("singular-at-zero", source)

"""Leaves that the program moves itself."""

from pathlib import Path

from tests.live.pitfalls.training import here, told

ATTACK = """
near = torch.zeros_like(x, requires_grad=True)
for _ in range(5):
    opt.zero_grad()
    (net(x + near) - y).square().mean().backward(){mark}
    near.data = (near + 0.1 * near.grad.sign()).detach()
{cleared}
"""


def test_data_that_is_given_new_values_by_a_gradient_that_adds_up_is_told(tmp_path: Path) -> None:
    source = ATTACK.format(mark="  # here", cleared="")
    assert told(source, tmp_path) == here("missing-zero-grad", source)


def test_data_whose_gradient_is_cleared_is_quiet(tmp_path: Path) -> None:
    assert told(ATTACK.format(mark="", cleared="    near.grad = None"), tmp_path) == []

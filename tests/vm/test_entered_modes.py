"""Grad modes that are entered and left by hand."""

import pytest

from tests.vm.running import kinds

CONTEXT = """
class Evaluating:
    def __init__(self, module, mode):
        self.module, self.mode = module, mode
    def __enter__(self):
        self.module.eval()
        self.mode.__enter__()
    def __exit__(self, *raised):
        self.mode.__exit__(*raised)

net = nn.Linear(2, 2)
with Evaluating(net, {mode}):
    for _ in range(3):
        print(net(torch.rand(4, 2)).sum().item())
"""


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("torch.no_grad()", []),
        ("torch.inference_mode()", []),
        ("torch.enable_grad()", ["evaluation-builds-graphs"]),
    ],
)
def test_a_context_of_the_program_sets_the_mode_that_it_enters(mode: str, told: list[str]) -> None:
    assert kinds(CONTEXT.format(mode=mode)) == told


LEFT = """
mode = torch.no_grad()
mode.__enter__()
hidden = torch.ones(2, requires_grad=True) * 2
{}
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
"""


@pytest.mark.parametrize(
    ("left", "told"), [("mode.__exit__(None, None, None)", []), ("", ["no-grad-root"])]
)
def test_a_mode_lasts_until_it_is_left(left: str, told: list[str]) -> None:
    assert kinds(LEFT.format(left)) == told


def test_modes_may_be_left_in_another_order_than_they_were_entered() -> None:
    program = """
first, second = torch.no_grad(), torch.enable_grad()
first.__enter__()
second.__enter__()
first.__exit__(None, None, None)
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
"""
    assert kinds(program) == []

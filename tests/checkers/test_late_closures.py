"""Functions made in a loop that are run when the loop has gone on."""

import pytest

from tests.vm.running import kinds

STACK = """
from torch.utils.checkpoint import checkpoint
layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
x = torch.ones(1, 2, requires_grad=True)
for index, layer in enumerate(layers):
    x = checkpoint({function}, x{given}, use_reentrant={reentrant})
x.sum().backward()
"""


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_that_looks_up_the_variable_of_its_loop_is_told(reentrant: bool) -> None:
    text = STACK.format(function="lambda t: layer(t)", given="", reentrant=reentrant)
    assert kinds(text) == ["late-binding"]


@pytest.mark.parametrize(
    ("function", "given"),
    [
        ("layer", ""),
        ("lambda t, layer=layer: layer(t)", ""),
        ("lambda t, own: own(t)", ", layer"),
        ("(lambda own: lambda t: own(t))(layer)", ""),
    ],
)
def test_a_value_that_is_handed_over_stays_what_it_is(function: str, given: str) -> None:
    assert kinds(STACK.format(function=function, given=given, reentrant=False)) == []


def test_a_backward_in_the_same_round_finds_what_was_meant() -> None:
    text = STACK.format(function="lambda t: layer(t)", given="", reentrant=False)
    assert (
        kinds(
            text.replace("x.sum().back", "    x.sum().back")
            .replace("x = check", "y = check")
            .replace("    x.sum()", "    y.sum()")
        )
        == []
    )

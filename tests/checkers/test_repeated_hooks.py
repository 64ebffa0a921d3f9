"""Hooks that are registered once more in each iteration."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

REPEATED = Pitfall.HOOK_REPEATED
LOOP = """
def keep(module, inputs, output):
    print(output.shape)

def other(i):
    return lambda module, inputs, output: print(i)

for i in range(3):
    {}
    model(loader[0][0]).sum().backward()
"""


@pytest.mark.parametrize(
    "hook",
    [
        "model[0].weight.register_hook(lambda g: g * 2)",
        "model[0].register_forward_hook(keep)",
        "model[0].register_full_backward_hook(lambda module, inputs, outputs: None)",
    ],
)
def test_a_hook_that_is_registered_in_each_iteration_stays(hook: str) -> None:
    assert rows(LOOP.format(hook), REPEATED) == [9]


@pytest.mark.parametrize(
    "hook",
    [
        "model[0].register_forward_hook(other(i))",
        "model[0].register_forward_hook(keep).remove()",
        "model(loader[0][0]).register_hook(lambda g: g * 2)",
        "copy.deepcopy(model)[0].register_forward_hook(keep)",
    ],
)
def test_other_hooks_on_other_things_are_no_repetition(hook: str) -> None:
    assert rows(LOOP.format(hook), REPEATED) == []


def test_a_hook_on_each_layer_is_registered_once() -> None:
    program = """
    for layer in model:
        layer.register_forward_hook(lambda module, inputs, output: None)
    for p in model.parameters():
        p.register_hook(lambda g: g)
    """
    assert rows(program, REPEATED) == []

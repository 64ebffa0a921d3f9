"""Hooks that a loop registers, and that read its variables when they run."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

LOOP = """
import torch
for layer, mask in zip(layers, masks):
    scale = mask.sum()
    {code}
"""


def told(code: str) -> bool:
    return Pitfall.HOOK_LATE_BOUND in noted(LOOP.format(code=code))


@pytest.mark.parametrize(
    "code",
    [
        "layer.weight.register_hook(lambda grad: grad * mask)",
        "layer.register_forward_hook(lambda module, given, out: out * scale)",
        "def hook(grad):\n        return grad * mask\n    layer.weight.register_hook(hook)",
        "def add(w):\n        w.register_hook(lambda grad: grad * mask)\n    add(layer.weight)",
    ],
)
def test_a_hook_that_reads_what_the_loop_binds_is_told(code: str) -> None:
    assert told(code)


@pytest.mark.parametrize(
    "code",
    [
        "layer.weight.register_hook(lambda grad, mask=mask: grad * mask)",
        "layer.weight.register_hook(lambda grad: grad * factor)",
        "layer.weight.register_hook(masking(mask))",
        "layer.weight.register_hook(partial(multiply, mask))",
        "layer.weight.register_hook(lambda mask: mask * 2)",
        "def add(mask):\n        x.register_hook(lambda grad: grad * mask)\n    add(mask)",
    ],
)
def test_a_hook_that_has_its_own_values_is_quiet(code: str) -> None:
    assert not told(code)


@pytest.mark.parametrize("end", ["loss.backward()", "handle.remove()", "break"])
def test_a_hook_that_runs_in_the_same_iteration_is_quiet(end: str) -> None:
    hook = "handle = layer.weight.register_hook(lambda grad: grad * mask)"
    assert not told(f"{hook}\n    {end}")

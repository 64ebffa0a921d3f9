"""Parameters of which a hook zeroes a part of the gradient, and weight decay."""

import pytest

from tests.vm.running import kinds

PROGRAM = """
layer = nn.Linear(2, 1)
mask = torch.tensor([1.0, 0.0])
layer.weight.register_hook({hook})
optimizer = torch.optim.{optimizer}
layer(torch.ones(2)).sum().backward()
optimizer.step()
"""
HOOK = "lambda grad: grad * mask"
DECAYING = "SGD(layer.parameters(), lr=0.1, weight_decay=0.1)"


@pytest.mark.parametrize(
    "optimizer", [DECAYING, "AdamW(layer.parameters())", "Adam(layer.parameters(), weight_decay=1)"]
)
def test_a_masked_gradient_with_weight_decay_is_told(optimizer: str) -> None:
    assert kinds(PROGRAM.format(hook=HOOK, optimizer=optimizer)) == ["frozen-parameter-moves"]


@pytest.mark.parametrize(
    "optimizer",
    [
        "SGD(layer.parameters(), lr=0.1)",
        "Adam(layer.parameters())",
        "AdamW(layer.parameters(), weight_decay=0)",
        "AdamW([{'params': layer.parameters(), 'weight_decay': 0.0}], weight_decay=0.1)",
    ],
)
def test_without_weight_decay_it_is_quiet(optimizer: str) -> None:
    assert kinds(PROGRAM.format(hook=HOOK, optimizer=optimizer)) == []


@pytest.mark.parametrize("hook", ["lambda grad: grad * 0.5", "lambda grad: grad.clamp(-1, 1)"])
def test_a_hook_that_zeroes_nothing_is_quiet(hook: str) -> None:
    assert kinds(PROGRAM.format(hook=hook, optimizer=DECAYING)) == []

"""Gradients that were asked for some parameters, and are given to others."""

from pathlib import Path

from tests.live.pitfalls.training import here, told

SHIFTED = """
layers = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(3))
layers[0].requires_grad_(False)
wanted = [p for p in layers.parameters() if p.requires_grad]
opt = torch.optim.SGD(wanted, lr=0.1)
for _ in range(3):
    h = x
    for layer in layers:
        h = layer(h).tanh()
    opt.zero_grad()
    gradients = torch.autograd.grad(h.square().sum(), wanted){mark}
    for p, gradient in zip({given}, gradients):
        p.grad = gradient + 0.1 * torch.ones_like(gradient)
    opt.step()
"""


def test_gradients_that_begin_with_a_frozen_layer_are_told(tmp_path: Path) -> None:
    source = SHIFTED.format(mark="  # here", given="layers.parameters()")
    assert told(source, tmp_path) == here("foreign-gradient", source)


def test_gradients_that_go_to_what_they_are_of_are_quiet(tmp_path: Path) -> None:
    assert told(SHIFTED.format(mark="", given="wanted"), tmp_path) == []

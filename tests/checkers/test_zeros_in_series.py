"""Weights of zeros that are multiplied with what other weights of zeros make zero."""

import pytest

from tests.vm.running import kinds

TEXT = """
down, up = nn.Linear(4, 2, bias={bias}), nn.Linear(2, 3, bias={bias})
{begun}
optimizer = torch.optim.SGD([*down.parameters(), *up.parameters()], lr=0.1)
for _ in range(3):
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
BOTH = "nn.init.zeros_(down.weight); nn.init.zeros_(up.weight)"
LOSS = "up(down(torch.randn(5, 4)).relu()).square().mean()"


def text(begun: str = BOTH, bias: bool = False, loss: str = LOSS) -> str:
    """A program that trains two layers in series."""
    return TEXT.format(begun=begun, bias=bias, loss=loss)


def test_two_layers_of_zeros_are_told_once() -> None:
    assert kinds(text()) == ["gradient-cut"]


@pytest.mark.parametrize("seen", ["up.weight.T", "up.weight.mT", "up.weight.transpose(0, 1)"])
def test_a_weight_that_is_transposed_is_the_same_weight(seen: str) -> None:
    loss = f"(torch.randn(5, 4) @ down.weight.T @ {seen}).square().mean()"
    assert kinds(text(loss=loss)) == ["gradient-cut"]


@pytest.mark.parametrize("begun", ["nn.init.zeros_(up.weight)", "nn.init.zeros_(down.weight)"])
def test_one_layer_of_zeros_is_quiet(begun: str) -> None:
    assert kinds(text(begun)) == []


def test_a_bias_that_is_not_zero_gives_the_next_layer_a_gradient() -> None:
    assert kinds(text(bias=True)) == []
    assert kinds(text(BOTH + "; nn.init.zeros_(down.bias)", bias=True)) == ["gradient-cut"]


def test_weights_that_are_drawn_anew_are_quiet() -> None:
    assert kinds(text(BOTH + "; nn.init.normal_(down.weight)")) == []


def test_a_layer_that_something_else_trains_is_quiet() -> None:
    assert kinds(text(loss=LOSS + " + down(torch.ones(1, 4)).mean()")) == []


@pytest.mark.parametrize("scale", ["2.0", "self.weight.norm()"])
def test_biases_of_zeros_behind_weights_that_are_computed_are_quiet(scale: str) -> None:
    program = f"""
class Scaled(nn.Module):
    def __init__(self, width, result):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(result, width))
        self.bias = nn.Parameter(torch.zeros(result))

    def forward(self, x):
        return nn.functional.linear(x, self.weight / {scale}, self.bias)


net = nn.Sequential(Scaled(4, 2), nn.LeakyReLU(0.2), Scaled(2, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(5, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    assert kinds(program) == []

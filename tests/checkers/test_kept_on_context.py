"""What a custom Function keeps on its context: inputs that backward differentiates by are meant."""

import pytest

from tests.vm.running import kinds

TEXT = """
class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, z, *weights):
        ctx.f, ctx.weights = f, weights
        with torch.no_grad():
            return f(z, *weights)

    @staticmethod
    def backward(ctx, gradient):
        with torch.enable_grad():
            {body}
        return (None, None, *found)

w = torch.randn(3, 3, requires_grad=True)
Solve.apply(lambda z, w: torch.tanh(z @ w), torch.ones(2, 3), w).sum().backward()
"""
DIRECT = "found = torch.autograd.grad(ctx.f(torch.ones(2, 3), *ctx.weights), ctx.weights, gradient)"
NAMED = """weights = ctx.weights
            found = torch.autograd.grad(ctx.f(torch.ones(2, 3), *weights), weights, gradient)"""
READ = "found = [gradient.t() @ gradient @ one for one in ctx.weights]"


@pytest.mark.parametrize("body", [DIRECT, NAMED])
def test_inputs_whose_gradients_backward_asks_for_are_quiet(body: str) -> None:
    assert kinds(TEXT.format(body=body)) == []


def test_inputs_that_backward_only_reads_are_told() -> None:
    assert "kept-on-context" in kinds(TEXT.format(body=READ))

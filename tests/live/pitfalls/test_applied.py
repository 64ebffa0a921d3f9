"""Custom Functions whose backward leaves out the chain rule, or what has no graph."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "backward returns the mask alone": (
        "output-gradient-ignored",
        """
        class Clip(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.sign()
            @staticmethod
            def backward(ctx, gradient):  # here
                (x,) = ctx.saved_tensors
                return (x.abs() < 1).to(x.dtype)
        for _ in range(2):
            opt.zero_grad()
            (Clip.apply(net(x)) - y).square().sum().backward()
            opt.step()
        """,
    ),
    "its result is scaled": (
        "output-gradient-ignored",
        """
        class Clip(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.sign()
            @staticmethod
            def backward(ctx, gradient):  # here
                (x,) = ctx.saved_tensors
                return (x.abs() < 1).to(x.dtype)
        for _ in range(2):
            opt.zero_grad()
            (3 * Clip.apply(net(x))).sum().backward()
            opt.step()
        """,
    ),
    "the second derivative of what is saved": (
        "cut-in-backward",
        """
        class Leaky(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, bias):
                shifted = x + bias
                ctx.save_for_backward(shifted)  # here
                return torch.where(shifted > 0, shifted, 0.2 * shifted) * shifted
            @staticmethod
            def backward(ctx, gradient):
                (shifted,) = ctx.saved_tensors
                slope = torch.where(shifted > 0, 2 * shifted, 0.4 * shifted)
                return gradient * slope, (gradient * slope).sum(0)
        bias = torch.zeros(3, requires_grad=True)
        for _ in range(2):
            point = torch.randn(8, 2, requires_grad=True)
            out = net[2](Leaky.apply(net[0](point), bias)).sum()
            (slope,) = torch.autograd.grad(out, point, create_graph=True)
            opt.zero_grad()
            bias.grad = None
            (out + slope.square().sum()).backward()
            opt.step()
        """,
    ),
}

RIGHT = {
    "the mask is multiplied in": """
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sign()
        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return gradient * (x.abs() < 1)
    for _ in range(2):
        opt.zero_grad()
        (Clip.apply(net(x)) - y).square().sum().backward()
        opt.step()
    """,
    "the Function gives the loss": """
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sign()
        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return torch.ones_like(x)
    for _ in range(2):
        opt.zero_grad()
        Clip.apply(net(x)).sum().backward()
        opt.step()
    """,
    "the gradient is called nothing": """
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sign()
        @staticmethod
        def backward(ctx, _):
            (x,) = ctx.saved_tensors
            return torch.ones_like(x)
    for _ in range(2):
        opt.zero_grad()
        (Clip.apply(net(x)) - y).square().sum().backward()
        opt.step()
    """,
    "the gradient is cut": """
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sign()
        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return torch.zeros_like(x)
    for _ in range(2):
        opt.zero_grad()
        (Clip.apply(net(x)) - y).square().sum().backward()
        opt.step()
    """,
    "what is saved is only compared": """
    class Leaky(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, bias):
            shifted = x + bias
            ctx.save_for_backward(shifted)
            return torch.where(shifted > 0, shifted, 0.2 * shifted)
        @staticmethod
        def backward(ctx, gradient):
            (shifted,) = ctx.saved_tensors
            slope = torch.full_like(shifted, 0.2).masked_fill(shifted > 0, 1)
            return gradient * slope, (gradient * slope).sum(0)
    bias = torch.zeros(3, requires_grad=True)
    for _ in range(2):
        point = torch.randn(8, 2, requires_grad=True)
        out = net[2](Leaky.apply(net[0](point), bias)).sum()
        (slope,) = torch.autograd.grad(out, point, create_graph=True)
        opt.zero_grad()
        bias.grad = None
        (out + slope.square().sum()).backward()
        opt.step()
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_backward_that_is_wrong_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_a_backward_that_is_meant_so_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []

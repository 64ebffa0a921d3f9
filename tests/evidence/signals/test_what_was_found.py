"""Signals that look at nothing but what was found."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source

FUNCTION = """import torch

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        {body}

    @staticmethod
    def backward(ctx, grad):
        return grad, grad

x = torch.ones(2, requires_grad=True)
scale = torch.ones(2, requires_grad=True)


def train():
    {call}(x, scale).sum().backward()


train()
"""


@pytest.mark.parametrize(
    ("body", "speaks"),
    [
        ("ctx.scale = scale; return x * scale", True),
        ("ctx.scale = x * scale; return ctx.scale", False),
    ],
)
def test_an_input_on_the_context_is_no_result(body: str, speaks: bool) -> None:
    (fault,) = analyse(Source("a.py", FUNCTION.format(body=body, call="Scale.apply")))
    assert ("input-on-context" in fault.signals) is speaks


@pytest.mark.parametrize(("call", "speaks"), [("Scale().apply", [True]), ("Scale.apply", [])])
def test_torch_only_warns_of_an_object_of_a_function(call: str, speaks: list[bool]) -> None:
    body = "return x * scale"
    found = analyse(Source("a.py", FUNCTION.format(body=body, call=call)))
    assert ["only-warned" in fault.signals for fault in found] == speaks

"""Conditions that are asked for again, and comparisons."""

import pytest

from tests.vm.running import kinds

MARKED = """
def quantized(x, inplace):
    if inplace:
        x.mul_(2)
        return x
    return x * 2

class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, inplace):
        if inplace:
            ctx.mark_dirty(x)
        {}
        return quantized(x, inplace)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2, None
"""


def test_a_flag_that_went_through_apply_is_the_same_when_asked_again() -> None:
    assert kinds(MARKED.format("pass")) == []


def test_a_tensor_that_was_written_may_be_another() -> None:
    assert kinds(MARKED.format("inplace.zero_()")) != []


@pytest.mark.parametrize(("test", "found"), [("x != 3", []), ("x * 3", ["saved-tensor-modified"])])
def test_a_comparison_never_requires_grad(test: str, found: list[str]) -> None:
    text = f"def f(x):\n    w = ({test}).float()\n    y = w.exp()\n    y += 1\n    return y\n"
    assert kinds(text) == found


def test_what_is_asked_by_a_name_is_a_dictionary() -> None:
    text = (
        "class Share(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x, extra):\n"
        "        ctx.queue = extra['queue']\n"
        "        ctx.queue.put((x.mean(), x.var()))\n"
        "        return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, gradient):\n"
        "        return gradient * 2, None\n"
    )
    assert kinds(text) == []


def test_a_number_is_no_tensor() -> None:
    text = (
        "def warn(value):\n"
        "    if isinstance(value, torch.Tensor) and value.requires_grad:\n"
        "        value.register_hook(print)\n"
        "def train(f):\n"
        "    loss = (torch.ones(2, requires_grad=True) * f(1)).sum()\n"
        "    number = loss.item()\n"
        "    loss.backward()\n"
        "    warn(number)\n"
    )
    assert kinds(text) == []


FLAGGED = """
def turned(x, kind):
    y = x.sigmoid()
    if (kind == "a") {}:
        raise ValueError(kind)
    if kind == "a":
        y += 1
    return y
"""


@pytest.mark.parametrize("more", ["^ False", "| False", "& True"])
def test_an_unknown_flag_and_a_known_one(more: str) -> None:
    assert kinds(FLAGGED.format(more)) == []
    assert kinds(FLAGGED.format("^ True")) == ["saved-tensor-modified"]


CONVERTED = """
def turned(x, wanted):
    y = x.sigmoid()
    if bool(wanted):
        return y
    if {}:
        y += 1
    return y
"""


def test_bool_of_what_is_not_known_is_true_where_that_is() -> None:
    assert kinds(CONVERTED.format("wanted")) == []
    assert kinds(CONVERTED.format("not wanted")) == ["saved-tensor-modified"]

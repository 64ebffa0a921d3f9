"""Gradients that are infinite: behind masks, and at zero."""

import pytest
import torch

from autograd_lint.checkers.intervals import Interval
from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted, rows
from tests.vm.running import kinds

MASKED = {
    "where": "torch.where(x > 0, x.sqrt(), 0.0)",
    "where the other way round": "torch.where(x <= 0, 0.0, x.log())",
    "a method": "x.sqrt().where(x > 0, 0.0)",
    "masked_fill": "x.sqrt().masked_fill(x == 0, 0.0)",
    "a product": "(x > 0) * x.sqrt()",
    "a negated mask": "torch.where(~(x == 0), 1 / x, 0.0)",
    "a quotient": "torch.where(x != 0, 3.0 / x, 0.0)",
    "further on": "torch.where(x > 0, x.log() * 2 + 1, 0.0)",
    "a power": "torch.where(x > 0, x ** 0.5, 0.0)",
    "an overflow": "torch.where(x < 20, torch.log1p(torch.exp(x)), x)",
}
SAFE = {
    "another argument": "torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), 0.0)",
    "a clamp": "torch.where(x > 0, x.clamp(min=1e-6).sqrt(), 0.0)",
    "what is laid aside is harmless": "torch.where(x < 1, x.sqrt() + 1e-3, 0.0) * 0.5 + x",
    "an open end": "torch.where(x >= 0, 1 / x, 0.0)",
    "exp of what is small": "torch.where(x > 0, torch.exp(x), 0.0)",
    "another condition": "torch.where(loader[0][1] > 0, x.sqrt(), 0.0)",
    "no gradient": "torch.where(x.detach() > 0, x.detach().sqrt(), 0.0) + x",
}


@pytest.mark.parametrize("expression", MASKED.values(), ids=MASKED.keys())
def test_a_mask_hides_the_value_alone(expression: str) -> None:
    program = f"x = model(loader[0][0]).square()\ny = {expression}\ny.sum().backward()\n"
    assert rows(program, Pitfall.MASKED_SINGULARITY) == [2]


@pytest.mark.parametrize("expression", SAFE.values(), ids=SAFE.keys())
def test_what_a_mask_may_lay_aside(expression: str) -> None:
    program = f"x = model(loader[0][0]).square()\ny = {expression}\ny.sum().backward()\n"
    assert noted(program) == set()


AT_ZERO = {
    "a leaf of zeros": "x = torch.zeros(3, requires_grad=True)\ny = (x**2).sum().sqrt()\n",
    "a leaf with a zero": "x = torch.tensor([0.0, 4.0], requires_grad=True)\ny = x.sqrt().sum()\n",
    "all distances": "x = torch.randn(3, 2, requires_grad=True)\n"
    "y = (x[:, None] - x[None, :]).pow(2).sum(-1).sqrt().sum()\n",
}
ELSEWHERE = {
    "a norm": "x = torch.zeros(3, requires_grad=True)\ny = x.norm()\n",
    "a number added": "x = torch.zeros(3, requires_grad=True)\n"
    "y = (x.square() + 1e-8).sum().sqrt()\n",
    "a sum with other numbers": "x = torch.tensor([0.0, 4.0], requires_grad=True)\n"
    "y = x.sum().sqrt()\n",
    "differences of neighbours": "x = torch.randn(3, 2, requires_grad=True)\n"
    "y = (x[1:] - x[:-1]).pow(2).sum(-1).sqrt().sum()\n",
    "filled before": "x = torch.zeros(3, requires_grad=True)\n"
    "with torch.no_grad():\n    x.uniform_(1, 2)\ny = x.sqrt().sum()\n",
    "filled by an extension": "import extension\nx = torch.zeros(3, requires_grad=True)\n"
    "extension.fill(x)\ny = x.sqrt().sum()\n",
}


@pytest.mark.parametrize("program", AT_ZERO.values(), ids=AT_ZERO.keys())
def test_differentiated_at_zero(program: str) -> None:
    assert rows(program + "y.backward()\n", Pitfall.SINGULAR_AT_ZERO) == [2]


@pytest.mark.parametrize("program", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_differentiated_elsewhere(program: str) -> None:
    assert noted(program + "y.backward()\n") == set()


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (Interval(0, 2), Interval(1, 3), True),
        (Interval(0, 1), Interval(1, 3), True),
        (Interval(0, 1, False, True), Interval(1, 3), False),
        (Interval(0, 1), Interval(1, 3, True), False),
        (Interval(0, 1), Interval(2, 3), False),
    ],
)
def test_intervals_meet(one: Interval, other: Interval, meet: bool) -> None:
    assert one.meets(other) is meet
    assert other.meets(one) is meet


MASKED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        x = {given}
        return torch.where({mask}, x.log(), x).add_(1)
"""


@pytest.mark.parametrize("bound", ["0", "1e-8"])
def test_a_mask_at_the_singularity_tells_that_values_get_there(bound: str) -> None:
    masked = MASKED.format(given="self.layer(x)", mask=f"x > {bound}")
    assert kinds(masked) == ["masked-singularity"]


def test_what_a_function_is_given_may_be_counts() -> None:
    assert kinds(MASKED.format(given="x.unsqueeze(0)", mask="x > 0")) == []


def test_a_mask_elsewhere_tells_nothing() -> None:
    text = "def f(x):\n    x.unsqueeze(0)\n    return torch.where(x < 3.75, x, x.log()).add_(1)\n"
    assert kinds(text) == []


def test_who_asks_for_a_gradient_at_zero_knows_of_it() -> None:
    text = "x = torch.zeros(3, requires_grad=True)\n{ask}\n"
    asked = "torch.autograd.grad(x.sqrt().sum(), x)"
    assert noted(text.format(ask=asked)) == set()
    assert noted(text.format(ask="x.sqrt().sum().backward()")) == {Pitfall.SINGULAR_AT_ZERO}


REPAIRED = {
    "nan_to_num": "torch.nan_to_num(x / w)",
    "where": "torch.where(torch.isnan(y), 0.0, y)",
    "masked_fill": "y.masked_fill(~torch.isfinite(y), 0.0)",
    "an index": "y[~y.isnan()]",
    "what is positive is picked": "w.sqrt()[w > 0]",
}
UNHARMED = {
    "a guarded divisor": "torch.nan_to_num(x / (w + 1e-8))",
    "a chosen divisor": "torch.nan_to_num(x / torch.where(w == 0, 1.0, w))",
    "a softmax behind a mask": "torch.nan_to_num(w.masked_fill(w > 1, -9.0).softmax(-1))",
    "a softmax of quotients": "torch.nan_to_num((x / w).softmax(-1))",
    "what is picked of the argument": "w[w > 0].sqrt()",
    "another test": "y[~loader[0][1].isnan()] * 1",
    "nothing is divided": "torch.nan_to_num(x * 2)",
}


@pytest.mark.parametrize("expression", REPAIRED.values(), ids=REPAIRED.keys())
def test_what_is_no_number_is_replaced_too_late(expression: str) -> None:
    made = f"w = model(loader[0][0])\nx = w + 1\ny = x / w\nz = {expression}\nz.sum().backward()\n"
    assert rows(made, Pitfall.MASKED_SINGULARITY) == [4]


@pytest.mark.parametrize("expression", UNHARMED.values(), ids=UNHARMED.keys())
def test_what_is_no_number_may_be_replaced(expression: str) -> None:
    made = f"w = model(loader[0][0])\nx = w + 1\ny = x + w\nz = {expression}\nz.sum().backward()\n"
    assert rows(made, Pitfall.MASKED_SINGULARITY) == []


OVERWRITTEN = """
w = model(loader[0][0])
y = {before}
y[w > 1] = {value}
y.sum().backward()
"""


@pytest.mark.parametrize(
    ("before", "value", "found"),
    [
        ("torch.where(w > 2, 1.0, 1 - w).sqrt()", "w.mean()", []),
        ("(1 - w).sqrt()", "w.mean()", [4]),
        ("w * 2", "(w[w > 1] - 1).sqrt()", []),
        ("w * 2", "(1 - w).sqrt().mean()", []),  # not one of its elements is laid aside
    ],
)
def test_what_is_overwritten_is_laid_aside(before: str, value: str, found: list[int]) -> None:
    made = OVERWRITTEN.format(before=before, value=value)
    assert rows(made, Pitfall.MASKED_SINGULARITY) == found


CLIPPED = """
x = torch.full((2, 3), -1.0, requires_grad=True)
short = {clipped}
(short ** 2).sum({rows}).sqrt().sum().backward()
"""


@pytest.mark.parametrize("clipped", ["torch.max(x, torch.zeros_like(x))", "torch.maximum(x, zero)"])
@pytest.mark.parametrize("rows", ["1", ""])
def test_backward_lays_aside_what_is_below_a_bound(clipped: str, rows: str) -> None:
    x = torch.full((2, 3), -1.0, requires_grad=True)
    short = torch.max(x, torch.zeros_like(x))
    (short**2).sum(1).sqrt().sum().backward()
    assert x.grad is not None and x.grad.isfinite().all()
    assert kinds("zero = torch.zeros(3)" + CLIPPED.format(clipped=clipped, rows=rows)) == []


CLEARED = """
lengths = torch.tensor([3, 1])
mask = {mask}
x = torch.randn(2, 3, 4, requires_grad=True)
(x * {rows}).square().sum({along}).sqrt().sum().backward()
"""


@pytest.mark.parametrize(
    "mask",
    [
        "torch.arange(3)[None] < lengths[:, None]",
        "(torch.arange(3)[None] < lengths[:, None]).float()",
        "~(torch.arange(3)[None] >= lengths[:, None])",
    ],
)
@pytest.mark.parametrize("rows", ["mask[..., None]", "mask[:, :, None]", "mask.unsqueeze(-1)"])
def test_the_rows_that_a_condition_clears_have_a_root_of_zero(mask: str, rows: str) -> None:
    along = "2" if rows.endswith("None]") and ":" in rows else "-1"
    program = CLEARED.format(mask=mask, rows=rows, along=along)
    assert kinds(program) == ["singular-at-zero"]


@pytest.mark.parametrize(
    ("rows", "along"), [("mask[..., None]", "1"), ("mask[0, 0, None]", "-1"), ("2", "-1")]
)
def test_rows_of_which_something_is_left_have_none(rows: str, along: str) -> None:
    mask = "torch.arange(3)[None] < lengths[:, None]"
    assert kinds(CLEARED.format(mask=mask, rows=rows, along=along)) == []


SHIFTED = """
x = torch.zeros(3, requires_grad=True)
{value}.sum().backward()
"""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("torch.acosh(1 + x)", True),
        ("torch.acos(1 - 2 * x)", True),
        ("(x + 1).view(3, 1).acosh()", True),
        ("torch.log1p(x - 1)", True),
        ("torch.acosh(1 + 1e-6 + x)", False),
        ("(1 + x).clamp(min=1 + 1e-6).acosh()", False),
        ("torch.acosh(torch.ones(3) * (1 + x) + 1)", False),
        ("(x + 1e-6).sqrt()", False),
    ],
)
def test_zeros_that_a_number_was_added_to_are_that_number(value: str, told: bool) -> None:
    assert ("singular-at-zero" in kinds(SHIFTED.format(value=value))) is told


def test_the_distance_of_each_point_to_itself_is_zero_in_a_ball_too() -> None:
    program = """
x = torch.rand(4, 2, requires_grad=True)
squares = (x[:, None] - x[None, :]).pow(2).sum(-1)
torch.acosh(1 + 2 * squares / (1 - x.pow(2).sum(-1))).sum().backward()
"""
    assert "singular-at-zero" in kinds(program)

"""Optimizers that step right behind a clearing."""

from pathlib import Path
from textwrap import indent

import pytest

from autograd_lint.checkers.alone.steps_without_backward import judge
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

HELPER = """
def forward_pass(model, x):
    loss = model(x)
    loss.backward()
    return loss

class Cut(Function):
    def backward(ctx, grad):
        return grad

def scored(model, x):
    cost = model(x)
    cost.backward()
    return cost

def loss_of(model, x):
    return model(x).mean()
"""


def _told(program: str, folder: Path) -> list[tuple[object, int]]:
    text = "def train(model, opt, other_opt, x):\n" + indent(program, "    ")
    (folder / "helper.py").write_text(HELPER)
    found = judge(Source("a.py", text), Project([folder]))
    return [(fault.kind, fault.place.row) for fault in found if fault.place]


def test_gradients_that_are_cleared_behind_backward_are_told_at_the_clearing(
    tmp_path: Path,
) -> None:
    program = "loss = model(x)\nloss.backward()\nopt.zero_grad()\nprint(loss.item())\nopt.step()\n"
    assert _told(program, tmp_path) == [(Pitfall.ZERO_GRAD_BEFORE_STEP, 4)]


def test_a_step_without_backward_is_told_where_a_loss_was_computed(tmp_path: Path) -> None:
    program = "opt.zero_grad()\nloss = loss_of(model, x)\nopt.step()\n"
    assert _told(program, tmp_path) == [(Pitfall.NO_GRADIENTS, 4)]
    before = "loss = loss_of(model, x)\nopt.zero_grad()\nopt.step()\n"
    assert _told(before, tmp_path) == [(Pitfall.NO_GRADIENTS, 4)]


@pytest.mark.parametrize(
    "program",
    [
        "opt.zero_grad()\nloss = model(x)\nloss.backward()\nopt.step()\n",
        "opt.zero_grad()\nloss = forward_pass(model, x)\nopt.step()\n",
        "opt.zero_grad()\nloss = model.train_on(x)\nopt.step()\n",
        "opt.zero_grad()\nloss = model(x)\nmodel.weight.grad = x\nopt.step()\n",
        "loss.backward()\nother_opt.zero_grad()\nopt.step()\n",
        "opt.zero_grad()\nfor one in x:\n    loss = one()\n    engine.backward(loss)\nopt.step()\n",
        "loss.backward()\nopt.zero_grad()\nloss = scored(model, x)\nopt.step()\n",
        "loss.backward()\nopt.step()\nopt.zero_grad()\nopt.step()\n",
        "opt.zero_grad()\nloss = model(x)\nopt.step()\nloss.backward()\n",
        "opt.zero_grad()\nopt.step()\n",
    ],
)
def test_a_step_that_may_find_gradients_is_not_told(program: str, tmp_path: Path) -> None:
    assert _told(program, tmp_path) == []


def test_the_backward_of_a_long_sum_in_a_loop_counts(tmp_path: Path) -> None:
    terms = " + ".join(f"weight_of_this_term * criterion(model(part_{n}), x)" for n in range(4))
    program = "loss = model(x)\nloss.backward()\nother_opt.step()\nopt.zero_grad()\n"
    program += f"for part in x:\n    ({terms}).backward()\nopt.step()\n"
    assert _told(program, tmp_path) == []

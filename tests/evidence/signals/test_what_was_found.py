"""Signals that look at nothing but what was found."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.probability import LIKELY, Signs, probability
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

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


def test_an_object_of_a_function_harms_nothing_before_torch_refuses_it() -> None:
    body = "return x * scale"
    (fault,) = analyse(Source("a.py", FUNCTION.format(body=body, call="Scale().apply")))
    assert [why.name for why in fault.assumptions] == ["refused-later"]


def test_torch_only_warns_of_a_checkpoint_that_does_not_say_which() -> None:
    text = (
        "import torch\nfrom torch.utils.checkpoint import checkpoint\n\n\ndef train():\n"
        "    checkpoint(torch.nn.Linear(2, 2), torch.ones(2))\n\n\ntrain()\n"
    )
    assert ["only-warned" in one.signals for one in analyse(Source("a.py", text))] == [True]


POLICY = """import torch
from torch import nn

class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.context = torch.zeros(2, requires_grad=True)

    def forward(self, x):
        return self.layer(x + self.context)
"""


@pytest.mark.parametrize(
    ("use", "learnt"),
    [
        ("torch.autograd.grad(loss, [policy.context])", True),
        ("torch.optim.SGD([policy.context], lr=0.1)", True),
        ("print(policy.context)", False),
    ],
)
def test_what_is_differentiated_by_its_name_need_not_be_registered(
    tmp_path: Path, use: str, learnt: bool
) -> None:
    caller = f"import torch\n\n\ndef adapt(policy, loss):\n    return {use}\n"
    write_tree(tmp_path, {"policy.py": POLICY, "adapt.py": caller})
    (fault,) = analyse(Source(str(tmp_path / "policy.py"), POLICY), Project([tmp_path]))
    assert (Kind.MEANT_TO_LEARN in [one.kind for one in fault.assumptions]) is learnt


SAVED = """import torch

def scale(x):
    y = x.exp()
    y += 1
    return y
"""


@pytest.mark.parametrize(("name", "speaks"), [("test_use", True), ("use", False)])
def test_a_test_shows_what_it_comes_by(tmp_path: Path, name: str, speaks: bool) -> None:
    caller = (
        "import torch\nfrom scaling import scale\n\n\ndef test_it():\n"
        "    scale(torch.ones(2, requires_grad=True)).sum().backward()\n"
    )
    write_tree(tmp_path, {"scaling.py": SAVED, f"{name}.py": caller})
    found = analyse(Source(str(tmp_path / f"{name}.py"), caller), Project([tmp_path]))
    assert ["shown-by-test" in fault.signals for fault in found] == [speaks]


IDLE = """import torch


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x){cut}, y)
        {walks}
        optimizer.step()
"""


def test_where_an_optimizer_steps_and_nothing_runs_backward_it_trains_nothing() -> None:
    (fault,) = analyse(Source("a.py", IDLE.format(cut="", walks="pass")))
    assert "trains-nothing" in fault.signals
    assert analyse(Source("a.py", IDLE.format(cut="", walks="loss.backward()"))) == []


def test_where_all_that_a_module_computes_is_cut_off_its_optimizer_trains_nothing() -> None:
    (fault,) = analyse(Source("a.py", IDLE.format(cut=".detach()", walks="loss.backward()")))
    assert "trains-nothing" in fault.signals


def test_training_nothing_is_judged_apart_from_parameters_that_no_loss_reaches() -> None:
    told, other = (Signs("AG321", (), frozenset(one)) for one in (["trains-nothing"], []))
    assert probability(told) >= LIKELY > probability(other)

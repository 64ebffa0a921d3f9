"""What a piece of code does to gradients, and so whether something is trained there."""

import ast

import pytest

from autograd_lint.facts.effects import Effects, effects, effects_in, trains_in
from autograd_lint.project.source import Source


def _effects(text: str) -> Effects:
    return effects(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "loss.backward()",
        "scaler.scale(loss).backward()",
        "accelerator.backward(loss)",
        "self.manual_backward(loss)",
        "torch.autograd.backward([loss])",
        "torch.autograd.grad(loss, weights)",
        "slope = grad(loss, weights)",
        "torch.func.vjp(net, x)",
        "jacobian(net, x)",
        "trainer.fit(model)",
        "Seq2SeqTrainer(model=model).train()",
    ],
)
def test_it_differentiates(text: str) -> None:
    assert _effects(text).differentiates


@pytest.mark.parametrize(
    "text", ["x.mean()", "ctx.save_for_backward(x)", "self.optimizer.step()", "x.requires_grad_()"]
)
def test_it_does_not_differentiate(text: str) -> None:
    assert not _effects(text).differentiates


@pytest.mark.parametrize(
    ("text", "stepped"),
    [
        ("self.optimizer.step()", {"self.optimizer"}),
        ("optimizers['first'].step()", {""}),
        ("optimizer.step(closure)", {"optimizer"}),
        ("optimizer.step(lambda: loss)", {"optimizer"}),
        ("scaler.step(optimizer)\nscaler.update()", {"scaler"}),
        ("state, reward = env.step(action)", set()),
        ("return_value = self.step(batch)", set()),
        ("scheduler.step(epoch)", set()),
    ],
)
def test_the_optimizers_that_it_steps(text: str, stepped: set[str]) -> None:
    assert _effects(text).stepped == stepped


@pytest.mark.parametrize(
    ("text", "cleared"),
    [
        ("optimizer.zero_grad()\nself.net.zero_grad()", ("optimizer", "self.net")),
        ("x.grad = None", ("x.grad",)),
        ("x.grad.zero_()", ("x.grad",)),
        ("x.grad = y", ()),
        ("x.zero_()", ()),
    ],
)
def test_what_it_clears_of_gradients(text: str, cleared: tuple[str, ...]) -> None:
    assert _effects(text).cleared == cleared


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("self.loss.backward()", "self.loss"),
        ("(self.loss / 2).backward(weight)", "self.loss"),
        ("scaler.scale(loss).backward()", "loss"),
        ("accelerator.backward(loss)", "loss"),
    ],
)
def test_where_a_backward_begins(text: str, path: str) -> None:
    (root,) = _effects(text).roots
    assert path in root


@pytest.mark.parametrize(
    ("text", "trains"),
    [
        ("loss.backward()", True),
        ("optimizer.step()", True),
        ("total = weight.grad.norm()", True),
        ("observation = env.step(action)", False),
        ("with torch.no_grad(): y = net(x)", False),
    ],
)
def test_what_takes_part_in_a_training(text: str, trains: bool) -> None:
    source = Source("a.py", text)
    assert trains_in(source, source.tree.body[0]) is trains


def test_effects_in_a_file_are_those_of_the_piece_alone() -> None:
    source = Source("a.py", "def f(x):\n    return x + 1\ndef g(x):\n    x.backward()\n")
    first, second = source.tree.body
    assert effects_in(source, first) == Effects()
    assert effects_in(source, second).differentiates

"""Operators whose derivative is zero everywhere are told from gradients that happen to be zero."""

from pathlib import Path
from textwrap import dedent

import pytest
import torch
from tests.live.confirm.watch.test_onlooker import code_of, outcome

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.confirm.watch.zeros import leaves_past, zeros_in

X = torch.full((3,), -1.5)
ZEROS = {
    "sign": lambda x: x.sign(),
    "round": lambda x: (x * 2).round_(),
    "floor": lambda x: x.floor(),
    "rounded to tenths": lambda x: x.round(decimals=1),
    "division without remainder": lambda x: torch.div(x, 2, rounding_mode="floor"),
    "overwritten": lambda x: (x * 1).zero_(),
}
OTHERS = {
    "relu of negative values": lambda x: x.relu(),
    "scaled by zero": lambda x: x * 0,
    "masked": lambda x: x.masked_fill(x < 0, 0.0),
    "clamped": lambda x: x.clamp(min=0),
    "division": lambda x: torch.div(x, 2),
    "negated": lambda x: -x,
    "read where it is not": lambda x: x.exp()[:0],
}


@pytest.mark.parametrize("made", ZEROS.values(), ids=ZEROS)
def test_a_derivative_that_is_zero_everywhere(made) -> None:
    root = made(X.clone().requires_grad_()).sum().grad_fn
    zeros = zeros_in(graph.nodes_below([root]))
    assert len(zeros) == 1
    assert leaves_past([root], zeros) == []


@pytest.mark.parametrize("made", OTHERS.values(), ids=OTHERS)
def test_a_derivative_that_depends_on_values_or_is_not_zero(made) -> None:
    x = X.clone().requires_grad_()
    root = made(x).sum().grad_fn
    zeros = zeros_in(graph.nodes_below([root]))
    assert zeros == []
    assert leaves_past([root], zeros)[0] is x


def test_a_second_way_passes_the_zeros_by() -> None:
    x = X.clone().requires_grad_()
    root = (x.sign() + x).sum().grad_fn
    assert leaves_past([root], zeros_in(graph.nodes_below([root])))[0] is x


def test_custom_functions_are_not_asked() -> None:
    class Asked(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sign()

        @staticmethod
        def backward(ctx, grad):
            raise AssertionError

    root = Asked.apply(X.clone().requires_grad_()).sum().grad_fn
    assert zeros_in(graph.nodes_below([root])) == []


BEFORE = """
    params = [*net.parameters(), *other.parameters()]
    opt = torch.optim.SGD(params, lr=0.1)
    """
CUTS = {
    "rounded": ("other(net(x).round()).sum().backward()", True),
    "dead": ("other((-net(x).exp()).relu()).sum().backward()", False),
    "passed straight through": (
        "h = net(x); other(h + (h.round() - h).detach()).sum().backward()",
        False,
    ),
    "asked for by another call": (
        "h = net(x); h.sum().backward(retain_graph=True); other(h.round()).sum().backward()",
        False,
    ),
}


@pytest.mark.parametrize(("step", "seen"), CUTS.values(), ids=CUTS)
def test_what_is_behind_zeros_gets_no_gradient(step: str, seen: bool, tmp_path: Path) -> None:
    found, _ = outcome(dedent(BEFORE) + f"{step}\nopt.step()\n", tmp_path)
    assert (code_of(Pitfall.GRADIENT_CUT) in {one.code for one in found.seen}) is seen


@pytest.mark.parametrize(
    ("term", "seen"), [("net(x).sum().round()", True), ("(-net(x).exp()).relu().sum()", False)]
)
def test_a_term_behind_zeros_is_constant(term: str, seen: bool, tmp_path: Path) -> None:
    found, _ = outcome(
        f"""
        loss = other(x).sum()
        loss = loss + {term}
        loss.backward()
        """,
        tmp_path,
    )
    rows = {one.row for one in found.seen if one.code == code_of(Pitfall.CONSTANT_TERM)}
    assert rows == ({8} if seen else set())


def test_all_terms_may_be_constant(tmp_path: Path) -> None:
    found, _ = outcome(
        """
        rounded = net(x).round()
        (rounded.sum() + rounded.pow(2).mean()).backward()
        """,
        tmp_path,
    )
    assert 7 in {one.row for one in found.seen if one.code == code_of(Pitfall.CONSTANT_TERM)}

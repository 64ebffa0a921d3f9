"""Pitfalls that the real engine is seen to run into, and twins of theirs in which it is not."""

from pathlib import Path
from textwrap import dedent

import pytest
from tests.live.confirm.watch.twins import TWINS

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.drive import run
from autograd_lint.live.confirm.jobs import Job, Outcome
from autograd_lint.live.confirm.watch.sights import VISIBLE
from autograd_lint.rules.registry import by_code_or_name

START = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    net, other = nn.Linear(3, 3), nn.Linear(3, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.rand(2, 3)
    """

# Those that the tracer itself finds have tests of their own, as has what driven code does to its
# arguments; or they have a twin that is seen with another.
TRACED = {
    Pitfall.ALIAS_FOR_COPY,
    Pitfall.HOOK_MODIFIES,
    Pitfall.NON_LEAF_GRAD,
    Pitfall.SCHEDULER_FIRST,
}
TOGETHER = {Pitfall.NO_GRADIENTS, Pitfall.SINGULAR_AT_ZERO, Pitfall.UNREGISTERED}


BY_HAND = """
    for _ in range(3):
        net(x).sum().backward()  # seen
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.1 * p.grad
                CLEARED
    """


def test_every_visible_pitfall_has_twins() -> None:
    assert TWINS.keys() | TRACED | TOGETHER == VISIBLE


def outcome(body: str, folder: Path) -> tuple[Outcome, str]:
    text = dedent(START).lstrip() + dedent(body).lstrip()
    file = folder / "program.py"
    file.write_text(text)
    return run(Job(str(file), text)), text


def code_of(pitfall: Pitfall) -> str:
    from autograd_lint.engine.faults import Fault
    from autograd_lint.rules.registry import rule_for

    rule = rule_for(Fault(pitfall, None))
    assert rule is not None and by_code_or_name(rule.code) is rule
    return rule.code


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("pitfall", TWINS)
def test_a_pitfall_is_seen_where_it_is(
    pitfall: Pitfall, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    seen, text = outcome(TWINS[pitfall][0], tmp_path)
    (row,) = (row for row, line in enumerate(text.splitlines(), 1) if line.endswith("# seen"))
    assert seen.ended == "done"
    assert row in {one.row for one in seen.seen if one.code == code_of(pitfall)}


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("pitfall", TWINS)
def test_it_is_not_seen_where_it_is_not(
    pitfall: Pitfall, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    seen, _ = outcome(TWINS[pitfall][1], tmp_path)
    assert seen.ended == "done"
    assert code_of(pitfall) not in {one.code for one in seen.seen}


@pytest.mark.parametrize(("cleared", "seen"), [("pass", True), ("p.grad = None", False)])
def test_an_update_by_hand_uses_gradients(cleared: str, seen: bool, tmp_path: Path) -> None:
    body = BY_HAND.replace("CLEARED", cleared)
    found, _ = outcome(body, tmp_path)
    assert (code_of(Pitfall.MISSING_ZERO_GRAD) in {one.code for one in found.seen}) is seen


def test_what_made_a_parameter_is_known_to_the_end(tmp_path: Path) -> None:
    """The tracer itself forgets what was made before the latest calls of backward."""
    found, _ = outcome(
        """
        net.weight = nn.Parameter(torch.rand(3, 3))
        for _ in range(12):
            loss = sum(net(torch.rand(2, 3)).sum() for _ in range(9))
            opt.zero_grad()
            loss.backward()
            opt.step()
        """,
        tmp_path,
    )
    (row,) = (one.row for one in found.seen if one.code == code_of(Pitfall.NOT_OPTIMIZED))
    assert row == 7


def test_what_adds_up_may_begin_after_the_first_round(tmp_path: Path) -> None:
    found, _ = outcome(
        """
        total = 0
        for epoch in range(2):
            for _ in range(2):
                loss = net(x).sum()
                loss.backward()
            total = total + loss
        """,
        tmp_path,
    )
    assert 12 in {one.row for one in found.seen if one.code == code_of(Pitfall.GRAPH_KEPT)}


def test_views_that_autograd_refuses_are_not_looked_at(tmp_path: Path) -> None:
    found, _ = outcome(
        """
        hidden = net(x).exp()
        with torch.no_grad():
            part = hidden.view(-1)
        hidden.mul_(2)
        hidden.sum().backward()
        """,
        tmp_path,
    )
    assert found.error_kind == "saved-tensor-modified"


def test_backward_from_a_leaf_gets_to_nothing_else(tmp_path: Path) -> None:
    body = "loss = torch.tensor(net(x).sum().item(), requires_grad=True)\nloss.backward()"
    found, _ = outcome(body, tmp_path)
    assert code_of(Pitfall.LOSS_REBUILT) in {one.code for one in found.seen}


@pytest.mark.parametrize(("used", "seen"), [("mask", True), ("mask * w", False)])
def test_a_gradient_is_cut_without_an_optimizer_as_well(
    used: str, seen: bool, tmp_path: Path
) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\nw, v = (torch.ones(3, requires_grad=True) for _ in range(2))\n"
        f"mask = (w > 0).float()\n({used} * v).sum().backward()\n"
    )
    found = run(Job(str(path), path.read_text()))
    assert (code_of(Pitfall.GRADIENT_CUT) in {one.code for one in found.seen}) is seen


def test_a_gradient_is_cut_by_the_block_that_a_call_stands_in(tmp_path: Path) -> None:
    found, _ = outcome(
        """
        def apart(value):
            return other(value)
        with torch.no_grad():
            cut = apart(x)
        trained = torch.optim.SGD([*net.parameters(), *other.parameters()], lr=0.1)
        (net(x) * cut).sum().backward()
        trained.step()
        """,
        tmp_path,
    )
    assert 9 in {one.row for one in found.seen if one.code == code_of(Pitfall.GRADIENT_CUT)}

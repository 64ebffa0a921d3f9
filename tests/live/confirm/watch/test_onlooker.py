"""Pitfalls that the real engine is seen to run into, and twins of theirs in which it is not."""

from pathlib import Path
from textwrap import dedent

import pytest

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

# A pitfall, a program that runs into it at the row with `# seen`, and one that does not.
TWINS = {
    Pitfall.MISSING_ZERO_GRAD: (
        """
        for _ in range(2):
            net(x).sum().backward()  # seen
            opt.step()
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            net(x).sum().backward()
            net(x).sum().backward()
            opt.step()
        """,
    ),
    Pitfall.ZERO_GRAD_BEFORE_STEP: (
        """
        net(x).sum().backward()
        opt.zero_grad()  # seen
        opt.step()
        """,
        """
        net(x).sum().backward()
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.WRITE_WITHOUT_DERIVATIVE: (
        """
        hidden = net(x)
        hidden.logical_not_()  # seen
        hidden.sum().backward()
        """,
        """
        hidden = net(x)
        hidden.mul_(2)
        mask = net(x)
        mask.logical_not_()
        hidden.sum().backward()
        """,
    ),
    Pitfall.OBSERVED_MODIFIED: (
        """
        hidden = net(x)
        hidden.register_hook(print)
        hidden.mul_(2)  # seen
        hidden.sum().backward()
        """,
        """
        hidden = net(x)
        hidden.mul_(2)
        hidden.retain_grad()
        with torch.no_grad():
            hidden.mul_(2)
        hidden.sum().backward()
        """,
    ),
    Pitfall.STEP_BEFORE_BACKWARD: (
        """
        loss = net(x).sum()
        opt.step()  # seen
        loss.backward()
        """,
        """
        net(x).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.CLIP_IN_VAIN: (
        """
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # seen
        net(x).sum().backward()
        opt.step()
        """,
        """
        net(x).sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        """,
    ),
    Pitfall.GRADIENTS_PILE_UP: (
        """
        for _ in range(5):
            net(x).sum().backward()  # seen
        """,
        """
        for _ in range(5):
            net(x).sum().backward()
            net.zero_grad()
        """,
    ),
    Pitfall.GRADIENT_KEEPS_GRAPH: (
        """
        net(x).pow(2).sum().backward(create_graph=True)  # seen
        """,
        """
        torch.autograd.grad(net(x).pow(2).sum(), list(net.parameters()), create_graph=True)
        net(x).sum().backward()
        """,
    ),
    Pitfall.GRAPH_KEPT: (
        """
        total = 0
        for _ in range(3):
            loss = net(x).sum()
            total += loss  # seen
            loss.backward()
        """,
        """
        total = 0
        for _ in range(3):
            loss = net(x).sum()
            total += loss.item()
            loss.backward()
        """,
    ),
    Pitfall.GRADIENT_CUT: (
        """
        params = [*net.parameters(), *other.parameters()]
        opt = torch.optim.SGD(params, lr=0.1)
        other(net(x).detach()).sum().backward()  # seen
        opt.step()
        """,
        """
        params = [*net.parameters(), *other.parameters()]
        opt = torch.optim.SGD(params, lr=0.1)
        h = net(x)
        shown = h.detach()
        other(h).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.CONSTANT_TERM: (
        """
        penalty = net(x).detach().pow(2).sum()  # seen
        (net(x).sum() + penalty).backward()
        """,
        """
        target = net(x).detach()
        (net(x) - target).pow(2).sum().backward()
        """,
    ),
    Pitfall.LOSS_REBUILT: (
        """
        loss = torch.tensor(net(x).sum().item(), requires_grad=True)
        loss.backward()  # seen
        opt.step()
        """,
        """
        loss = net(x).sum() * torch.tensor(2.0)
        loss.backward()
        opt.step()
        """,
    ),
    Pitfall.PENALTY_WITHOUT_GRAPH: (
        """
        y = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(y).pow(2).sum(), y)  # seen
        (net(y).sum() + g.norm()).backward()
        """,
        """
        y = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(y).pow(2).sum(), y, create_graph=True)
        (net(y).sum() + g.norm()).backward()
        """,
    ),
    Pitfall.TARGET_LEARNS: (
        """
        nn.functional.mse_loss(net(x), other(x)).backward()  # seen
        """,
        """
        nn.functional.mse_loss(net(x), other(x).detach()).backward()
        """,
    ),
    Pitfall.CHECKPOINT_CUTS: (
        """
        from torch.utils.checkpoint import checkpoint
        checkpoint(net, x, use_reentrant=True)  # seen
        """,
        """
        from torch.utils.checkpoint import checkpoint
        checkpoint(net, x, use_reentrant=False)
        """,
    ),
    Pitfall.NOT_OPTIMIZED: (
        """
        late = nn.Linear(3, 1)  # seen
        late(net(x)).sum().backward()
        opt.step()
        """,
        """
        late = nn.Linear(3, 1)
        opt.add_param_group({"params": list(late.parameters())})
        late(net(x)).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.NO_OPTIMIZER: (
        """
        head = nn.Linear(3, 1)  # seen
        for _ in range(2):
            head(net(x)).sum().backward()
            opt.step()
        """,
        """
        head = nn.Linear(3, 1)
        own = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(2):
            head(net(x)).sum().backward()
            opt.step()
            own.step()
        """,
    ),
    Pitfall.FREEZE_UNDONE: (
        """
        for p in net.parameters():
            p.requires_grad = False
        for p in net.parameters():
            p.requires_grad = True  # seen
        net(x).sum().backward()
        """,
        """
        net.weight.requires_grad = False
        net(x).sum().backward()
        net.weight.requires_grad = True
        net(x).sum().backward()
        """,
    ),
    Pitfall.GRAPH_UNDER_NO_GRAD: (
        """
        y = x.clone().requires_grad_()
        loss = net(y).pow(2).sum()
        with torch.no_grad():
            torch.autograd.grad(loss, y, create_graph=True)  # seen
        """,
        """
        y = x.clone().requires_grad_()
        loss = net(y).pow(2).sum()
        with torch.no_grad():
            torch.autograd.grad(loss, y)
        """,
    ),
    Pitfall.INPUT_UNUSED: (
        """
        net(x).sum().backward(inputs=[other.weight])  # seen
        """,
        """
        net(x).sum().backward(inputs=[net.weight])
        """,
    ),
    Pitfall.UNRECORDED_CHANGE: (
        """
        hidden = net(x)
        hidden.data.mul_(2)  # seen
        hidden.square().sum().backward()
        """,
        """
        hidden = net(x)
        hidden.data.clamp_(max=100)
        hidden.square().sum().backward()
        """,
    ),
    Pitfall.FROZEN_MOVES: (
        """
        net(x).sum().backward()
        opt.step()
        net.weight.requires_grad_(False)  # seen
        opt.step()
        """,
        """
        net(x).sum().backward()
        net.weight.requires_grad_(False)
        opt.step()
        net.weight.grad = net.bias.grad = None
        opt.step()
        """,
    ),
    Pitfall.FORWARD_CALLED: (
        """
        net.register_forward_hook(print)
        net.forward(x)  # seen
        """,
        """
        net.register_forward_hook(lambda module, given, made: None)
        net(x)
        other.forward(x)
        """,
    ),
    Pitfall.NOT_MARKED_DIRTY: (
        """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.mul_(2)  # seen
                return x.sum()
            @staticmethod
            def backward(ctx, grad):
                return 2 * grad.expand(2, 3)
        Double.apply(net(x)).backward()
        """,
        """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                own = x.clone()
                own.mul_(2)
                x.mul_(2)
                ctx.mark_dirty(x)
                return x
            @staticmethod
            def backward(ctx, grad):
                return 2 * grad
        Double.apply(net(x)).sum().backward()
        """,
    ),
    Pitfall.KEPT_ON_CONTEXT: (
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.exp()  # seen
                return ctx.y
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.y
        Exp.apply(net(x)).sum().backward()
        """,
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, mask):
                y = x.exp()
                ctx.mask, ctx.shape = mask, x.shape
                ctx.save_for_backward(y)
                return y
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0], None
        Exp.apply(net(x), x > 0).sum().backward()
        """,
    ),
    Pitfall.MODE_LEAKS: (
        """
        def evaluate():
            torch.set_grad_enabled(False)  # seen
            return net(x)
        evaluate()
        net(x)
        torch.set_grad_enabled(True)
        """,
        """
        from contextlib import contextmanager
        @contextmanager
        def quiet():
            with torch.no_grad():
                yield
        def evaluate():
            with torch.set_grad_enabled(False):
                return net(x)
        def restored():
            torch.set_grad_enabled(False)
            net(x)
            torch.set_grad_enabled(True)
        @torch.no_grad()
        def decorated():
            return net(x)
        with quiet():
            net(x)
        evaluate(), restored(), decorated()
        net(x)
        """,
    ),
    Pitfall.STATE_OVERWRITTEN: (
        """
        best = net.state_dict()  # seen
        net(x).sum().backward()
        opt.step()
        net.load_state_dict(best)
        """,
        """
        import copy
        best = copy.deepcopy(net.state_dict())
        same = net.state_dict()
        net.load_state_dict(same)
        net(x).sum().backward()
        opt.step()
        other.load_state_dict(same)
        net.load_state_dict(best)
        """,
    ),
    Pitfall.SCALED_GRADIENTS: (
        """
        scaler = torch.amp.GradScaler("cpu")
        scaler.scale(net(x).sum()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # seen
        scaler.step(opt)
        """,
        """
        scaler, off = torch.amp.GradScaler("cpu"), torch.amp.GradScaler("cpu", enabled=False)
        scaler.scale(net(x).sum()).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
        scaler.scale(net(x).sum()).backward()
        scaler.step(opt)
        opt.zero_grad()
        off.scale(net(x).sum()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        """,
    ),
    Pitfall.MASKED_SINGULARITY: (
        """
        z = torch.zeros(3, requires_grad=True)
        root = z.sqrt()  # seen
        torch.where(z > 0, root, torch.zeros(3)).sum().backward()
        """,
        """
        z = torch.zeros(3, requires_grad=True)
        root = torch.where(z > 0, z, torch.ones(3)).sqrt()
        torch.where(z > 0, root, torch.zeros(3)).sum().backward()
        """,
    ),
}


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

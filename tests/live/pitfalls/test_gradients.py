"""Optimizers whose parameters never get a gradient."""

from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.live.findings import findings_of
from tests.live.pitfalls.training import START, here, told
from tests.live.programs import Traced

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "a closure that clears what it has computed": (
        "zero-grad-before-step",
        """
        opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
        def closure():
            loss = net(x).square().sum()
            loss.backward()
            opt.zero_grad()  # here
            return loss
        for _ in range(2):
            opt.step(closure)
        """,
    ),
    "a closure without backward": (
        "optimizer-without-gradients",
        """
        opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
        def closure():
            opt.zero_grad()
            return net(x).square().sum()
        for _ in range(2):
            opt.step(closure)  # here
        """,
    ),
}

RIGHT = {
    "a closure with backward": """
    opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
    def closure():
        opt.zero_grad()
        loss = net(x).square().sum()
        loss.backward()
        return loss
    for _ in range(2):
        opt.step(closure)
    """,
    "a closure that comes to a minimum": """
    point = torch.ones(3, requires_grad=True)
    opt = torch.optim.LBFGS([point], max_iter=3)
    def closure():
        opt.zero_grad()
        loss = point.square().sum()
        loss.backward()
        return loss
    opt.step(closure)
    """,
    "a closure that sets the gradients": """
    opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
    def closure():
        loss = net(x).square().sum()
        for p, gradient in zip(net.parameters(), torch.autograd.grad(loss, [*net.parameters()])):
            p.grad = gradient
        return loss
    for _ in range(2):
        opt.step(closure)
    """,
    "an optimizer that needs no gradient": """
    class Search(torch.optim.Optimizer):
        def step(self, closure):
            with torch.no_grad():
                for p in self.param_groups[0]["params"]:
                    p.add_(0.01)
            return closure()
    search = Search(net.parameters(), {})
    for _ in range(2):
        search.step(lambda: net(x).square().sum())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_step_without_gradients_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_from_elsewhere_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


def test_where_its_parameters_were_copied_is_told_with_it(tmp_path: Path) -> None:
    source = """
    import copy
    model = copy.deepcopy(net)
    for _ in range(2):
        model(x).square().sum().backward()
        opt.step()
    """
    traced = Traced(START + dedent(source), tmp_path, ended=True)
    (found,) = (one for one in findings_of(traced.tracer.faults) if one.code == "AG321")
    related = {(one.message, one.place.row) for one in found.related if one.place is not None}
    assert ("copied here: the copy gets the gradients", 12) in related


def test_a_frozen_parameter_that_moves_is_told_where_its_flag_is_set(tmp_path: Path) -> None:
    source = """
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(3):
        opt.zero_grad(set_to_none=False)
        (net(x) - y).square().mean().backward()
        opt.step()
    for p in net[0].parameters():
        p.requires_grad = False  # here
    for _ in range(3):
        opt.zero_grad(set_to_none=False)
        (net(x) - y).square().mean().backward()
        opt.step()
    """
    assert told(source, tmp_path) == here("frozen-parameter-moves", source)


def test_master_weights_that_are_given_gradients_by_hand_are_not_frozen(tmp_path: Path) -> None:
    source = """
    master = [p.detach().clone().double() for p in net.parameters()]
    keeper = torch.optim.SGD(master, lr=0.1)
    for _ in range(3):
        net.zero_grad()
        (net(x) - y).square().mean().backward()
        for m, p in zip(master, net.parameters()):
            m.grad = p.grad.double()
        keeper.step()
        with torch.no_grad():
            for m, p in zip(master, net.parameters()):
                p.copy_(m)
    """
    assert told(source, tmp_path) == []

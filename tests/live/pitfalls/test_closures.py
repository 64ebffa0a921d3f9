"""Closures that an optimizer runs several times in a step."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "never cleared": """
    lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.1)
    def closure():
        loss = (net(x) - y).square().mean()
        loss.backward()  # here
        return loss
    for _ in range(2):
        lbfgs.step(closure)
    """,
    "cleared once for each step": """
    lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.1, line_search_fn="strong_wolfe")
    def closure():
        loss = (net(x) - y).square().mean()
        loss.backward()  # here
        return loss
    for _ in range(2):
        lbfgs.zero_grad()
        lbfgs.step(closure)
    """,
}

OLD = {
    "the loss": """
    weight = torch.ones(2, 1, requires_grad=True)
    lbfgs = torch.optim.LBFGS([weight], lr=0.1)
    for _ in range(2):
        loss = (x @ weight).square().sum()  # here
        def closure():
            lbfgs.zero_grad()
            loss.backward(retain_graph=True)
            return loss
        lbfgs.step(closure)
    """,
    "a part of it": """
    weight = torch.ones(2, 1, requires_grad=True)
    lbfgs = torch.optim.LBFGS([weight], lr=0.1)
    for _ in range(2):
        part = x + weight.sum()  # here
        def closure():
            lbfgs.zero_grad()
            loss = (part - weight.sum() / 2).square().sum()
            loss.backward(retain_graph=True)
            return loss
        lbfgs.step(closure)
    """,
}

RIGHT = {
    "what does not move is computed before": """
    before = net[0](x).detach()
    lbfgs = torch.optim.LBFGS(net[2].parameters(), lr=0.1)
    def closure():
        lbfgs.zero_grad()
        loss = (net[2](before.tanh()) - y).square().mean()
        loss.backward()
        return loss
    for _ in range(2):
        lbfgs.step(closure)
    """,
    "cleared by each run": """
    lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.1)
    def closure():
        lbfgs.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward()
        return loss
    for _ in range(2):
        lbfgs.step(closure)
    """,
    "cleared by hand": """
    lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.1)
    def closure():
        for p in net.parameters():
            if p.grad is not None:
                p.grad.zero_()
        loss = (net(x) - y).square().mean()
        loss.backward()
        return loss
    lbfgs.step(closure)
    """,
    "several batches in each run": """
    lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.1)
    def closure():
        lbfgs.zero_grad()
        whole = 0.0
        for one, wanted in zip(x.split(2), y.split(2)):
            loss = (net(one) - wanted).square().mean() / 2
            loss.backward()
            whole += loss.item()
        return whole
    lbfgs.step(closure)
    """,
    "run once": """
    def closure():
        loss = (net(x) - y).square().mean()
        loss.backward()
        return loss
    for _ in range(3):
        opt.zero_grad()
        opt.step(closure)
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_closure_that_adds_to_its_earlier_runs_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("missing-zero-grad", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_closures_whose_runs_begin_anew_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


@pytest.mark.parametrize("name", OLD)
def test_a_closure_that_differentiates_what_is_older_than_its_step_is_told(
    name: str, tmp_path: Path
) -> None:
    assert told(OLD[name], tmp_path) == here("graph-kept", OLD[name])

"""Iterators of parameters that an optimizer has gone through, and clipping gets nothing of."""

from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.live.findings import findings_of
from tests.live.pitfalls.training import START, here, told
from tests.live.programs import Traced

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "a filter": (
        "used-up-generator",
        """
        trained = filter(lambda p: p.requires_grad, net.parameters())
        opt = torch.optim.SGD(trained, lr=0.1)
        for _ in range(2):
            opt.zero_grad()
            net(x).square().sum().backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)  # here
            opt.step()
        """,
    ),
    "a chain": (
        "used-up-generator",
        """
        import itertools
        trained = itertools.chain(net[0].parameters(), net[2].parameters())
        opt = torch.optim.SGD(trained, lr=0.1)
        opt.zero_grad()
        net(x).square().sum().backward()
        torch.nn.utils.clip_grad_value_(trained, 1.0)  # here
        opt.step()
        """,
    ),
}

RIGHT = {
    "a new filter each time": """
    opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        net(x).square().sum().backward()
        trained = filter(lambda p: p.requires_grad, net.parameters())
        assert torch.nn.utils.clip_grad_norm_(trained, 1.0) > 0
        opt.step()
    """,
    "a filter that finds nothing": """
    frozen = torch.nn.Linear(1, 1).requires_grad_(False)
    opt.zero_grad()
    frozen(net(x)).square().sum().backward()
    torch.nn.utils.clip_grad_norm_(filter(lambda p: p.requires_grad, frozen.parameters()), 1.0)
    opt.step()
    """,
    "a generator": """
    opt.zero_grad()
    net(x).square().sum().backward()
    assert torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0) > 0
    opt.step()
    """,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_empty_by_then_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RIGHT)
def test_iterators_that_give_something_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


GROUPS = """
rest = {rest}
def make():
    groups = [{{"params": rest}}, {{"params": net[2].parameters()}}]
    return torch.optim.SGD(groups, lr=0.1){mark}
for _ in range(2):
    opt = make()
    fit(net(x).square().sum())
"""


def test_a_group_that_an_earlier_optimizer_has_used_up_is_told(tmp_path: Path) -> None:
    source = GROUPS.format(rest="(p for p in net[0].parameters())", mark="  # here")
    assert told(source, tmp_path) == here("used-up-generator", source)


def test_a_list_that_two_optimizers_are_given_is_quiet(tmp_path: Path) -> None:
    assert told(GROUPS.format(rest="list(net[0].parameters())", mark=""), tmp_path) == []


def test_a_group_of_a_filter_that_nothing_passes_is_quiet(tmp_path: Path) -> None:
    source = """
    for _ in range(2):
        rest = filter(lambda p: p.dim() > 4, net[0].parameters())
        opt = torch.optim.SGD([{"params": rest}, {"params": net.parameters()}], lr=0.1)
        fit(net(x).square().sum())
    """
    assert told(source, tmp_path) == []


def test_where_the_optimizer_was_given_the_iterator_is_told_with_it(tmp_path: Path) -> None:
    _, source = WRONG["a filter"]
    traced = Traced(START + dedent(source), tmp_path, ended=True)
    (found,) = findings_of(traced.tracer.faults)
    related = {(one.message, one.place.row) for one in found.related if one.place is not None}
    assert related == {("made here", 11), ("gone through here", 12)}

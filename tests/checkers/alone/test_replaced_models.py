"""Modules that take the place of the one that an optimizer has."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
import copy

def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    {replace}
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
    {after}
"""


def is_told(replace: str = "pass", after: str = "pass") -> bool:
    """Whether it is told of the assignment."""
    return Pitfall.NOT_OPTIMIZED in noted(TEXT.format(replace=replace, after=after))


@pytest.mark.parametrize(
    "replace",
    [
        "model = copy.deepcopy(model)",
        "model = torch.load('a')",
        "model = Net()",
        "model = nn.Linear(2, 1)",
    ],
)
def test_another_module_that_is_trained_is_told(replace: str) -> None:
    assert is_told(replace)


@pytest.mark.parametrize(
    "replace",
    [
        "model = nn.DataParallel(model)",
        "model = model.to('cuda')",
        "model = Wrapper(model)",
        "model = Net(); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    ],
)
def test_what_wraps_the_module_or_has_an_optimizer_of_its_own_is_quiet(replace: str) -> None:
    assert not is_told(replace)


def test_a_module_that_is_only_evaluated_is_quiet() -> None:
    assert not is_told(after="model = torch.load('best.pt'); model(loader)")


BUILT = """
def build(args):
    model = nn.Linear(3, 1)
    {first}
    if args.resume:
        model = nn.Linear(3, 1)
        model.load_state_dict(torch.load(args.resume))
    {then}
    return model, optimizer

def train(args, loader):
    model, optimizer = build(args)
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""
MAKES = "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"


def test_a_module_that_is_returned_with_the_optimizer_of_another_one_is_told() -> None:
    assert Pitfall.NOT_OPTIMIZED in noted(BUILT.format(first=MAKES, then="pass"))
    assert Pitfall.NOT_OPTIMIZED not in noted(BUILT.format(first="pass", then=MAKES))

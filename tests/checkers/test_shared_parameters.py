"""Parameters that were given the memory of others."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

SHARED = Pitfall.MEMORY_SHARED
PROGRAM = """
target = copy.deepcopy(model)
for mine, other in zip(target.parameters(), model.parameters()):
    {}
for x, y in loader:
    loss = F.mse_loss(model(x), {})
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
USED = "target(x).detach()"


@pytest.mark.parametrize("value", ["other.data", "other", "other.detach()", "other.data.detach()"])
def test_a_target_that_shares_memory_moves_with_its_network(value: str) -> None:
    assert rows(PROGRAM.format(f"mine.data = {value}", USED), SHARED) == [4]


@pytest.mark.parametrize(
    "update",
    ["mine.data = other.data.clone()", "mine.data.copy_(other.data)", "mine.data = other.data * 1"],
)
def test_a_copy_is_no_shared_memory(update: str) -> None:
    assert rows(PROGRAM.format(update, USED), SHARED) == []


def test_what_is_not_used_after_the_step_does_no_harm() -> None:
    assert rows(PROGRAM.format("mine.data = other.data", "y"), SHARED) == []


def test_two_layers_that_one_optimizer_has_are_tied() -> None:
    program = """
    first, last = nn.Linear(4, 4), nn.Linear(4, 4)
    last.weight.data = first.weight.data
    both = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
    for x, y in loader:
        both.zero_grad()
        last(first(x)).sum().backward()
        both.step()
    """
    assert rows(program, SHARED) == []


def test_memory_that_is_given_anew_after_each_step_holds_what_it_should() -> None:
    program = """
    average = copy.deepcopy(model)
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        for mine, other in zip(average.parameters(), model.parameters()):
            mine.data = other.data
        average(x)
    """
    assert rows(program, SHARED) == []

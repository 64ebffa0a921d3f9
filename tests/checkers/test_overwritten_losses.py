"""Losses that a loop computes and loses, but for the last one."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

LAST = Pitfall.LAST_ITERATION_ONLY
LOOP = """
for x, y in loader:
    loss = F.mse_loss(model(x), y)
{}
loss.backward()
optimizer.step()
"""


def test_backward_behind_the_loop_has_only_the_last_loss() -> None:
    assert rows(LOOP.format(""), LAST) == [5]


def test_the_model_of_a_function_may_be_given() -> None:
    program = """
    def train(net, batches, criterion: nn.CrossEntropyLoss):
        for x, y in batches:
            loss = F.cross_entropy(net(x), y)
        loss.backward()
    """
    assert rows(program, LAST) == [5]


@pytest.mark.parametrize(
    "use",
    [
        "    loss.backward()",
        "    losses.append(loss)\nloss = sum(losses)",
        "    total = total + loss\nloss = total",
        "    if loss < 0.1: break",
        "    unknown(loss)",
    ],
)
def test_a_loss_that_is_used_in_its_iteration_is_not_lost(use: str) -> None:
    head = "from somewhere import unknown\nlosses, total = [], 0"
    assert rows(head + LOOP.format(use), LAST) == []


def test_a_state_that_each_iteration_goes_on_from_is_not_lost() -> None:
    program = """
    state = torch.randn(3, 4)
    for x, y in loader:
        state = model[0](state)[:, :4]
        loss = F.mse_loss(state, x)
    loss.backward()
    """
    assert rows(program, LAST) == []


def test_an_evaluation_before_the_training_is_no_loss_of_it() -> None:
    program = """
    for x, y in loader:
        score = F.mse_loss(model(x), y)
    x, y = loader[0]
    loss = F.mse_loss(model(x), y)
    loss.backward()
    """
    assert rows(program, LAST) == []


def test_values_on_the_way_to_the_last_one_are_no_losses_of_the_next_batch() -> None:
    program = """
    for x, y in loader:
        for _ in range(3):
            x = x + model[0](x)[:, :4]
            loss = F.mse_loss(x, torch.zeros_like(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    assert rows(program, LAST) == []


@pytest.mark.parametrize("order", ["evaluate(), train()", "train(), evaluate(), train()"])
def test_an_evaluation_that_has_the_loss_from_the_same_function_is_none_of_the_training(
    order: str,
) -> None:
    program = f"""
    def criterion(output, target):
        return F.mse_loss(output, target)
    def train():
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    def evaluate():
        for x, y in loader:
            loss = criterion(model(x), y)
            print(loss.item())
    {order}
    """
    assert rows(program, LAST) == []


def test_a_loss_from_a_function_is_lost_as_well() -> None:
    program = """
    def criterion(output, target):
        return F.mse_loss(output, target)
    for x, y in loader:
        loss = criterion(model(x), y)
    loss.backward()
    """
    assert rows(program, LAST) == [6]


def test_a_search_for_the_largest_loss_loses_none() -> None:
    program = """
    def gap(batches):
        largest = torch.tensor(-1.0)
        for x, y in batches:
            loss = F.mse_loss(model(x), y)
            if loss > largest:
                largest = loss
        return largest
    gap(loader).backward()
    """
    assert rows(program, LAST) == []


def test_the_last_result_of_a_recurrence_goes_on_from_the_ones_before() -> None:
    program = """
    inner, outer = nn.Linear(8, 4), nn.Linear(8, 1)
    state = torch.zeros(3, 4)
    for x, y in loader:
        both = torch.cat([x, state], 1)
        state, out = inner(both), outer(both)
    loss = F.mse_loss(out, y)
    loss.backward()
    """
    assert rows(program, LAST) == []


def test_a_step_that_the_loop_calls_for_the_loss_trains_in_its_iteration() -> None:
    program = """
    def run(x, y, train):
        loss = F.mse_loss(model(x), y)
        if train:
            loss.backward()
            optimizer.step()
        return loss

    for train in (False, True):
        for x, y in loader:
            loss = run(x, y, train)
    """
    assert rows(program, LAST) == []

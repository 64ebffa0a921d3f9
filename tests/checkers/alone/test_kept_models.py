"""A second name for a module that a loop goes on training, where its best state is meant."""

import pytest

from autograd_lint.checkers.alone import kept_models
from autograd_lint.project.source import Source

FIT = """
import copy
import torch

def fit(net, batches):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    lowest, best = float("inf"), None
    for batch in batches:
        {first}
        loss = net(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if {test}:
            {kept}
            {then}
    return {result}
"""


def rows(
    first: str = "pass",
    test: str = "loss.item() < lowest",
    kept: str = "best = net",
    then: str = "pass",
    result: str = "best",
) -> list[int]:
    text = FIT.format(first=first, test=test, kept=kept, then=then, result=result)
    return [fault.place.row for fault in kept_models.judge(Source("a.py", text)) if fault.place]


@pytest.mark.parametrize("kept", ["best = net", "lowest, best = loss.item(), net"])
def test_the_best_module_is_the_one_that_is_trained_on(kept: str) -> None:
    assert rows(kept=kept) == [15]


def test_a_copy_is_another_module() -> None:
    assert rows(kept="best = copy.deepcopy(net)") == []


def test_each_round_may_have_a_module_of_its_own() -> None:
    assert rows(first="net = torch.nn.Linear(2, 1)") == []


def test_a_name_that_nobody_reads_does_no_harm() -> None:
    assert rows(result="net") == []


def test_who_stops_there_keeps_what_there_is() -> None:
    assert rows(then="break") == []


def test_what_no_order_decides_may_be_a_second_name_on_purpose() -> None:
    assert rows(test="best is None") == []

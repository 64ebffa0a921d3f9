"""Distributed samplers that are never told the epoch."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

TEXT = """
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

data = TensorDataset(torch.ones(8, 2), torch.ones(8, 1))
sampler = DistributedSampler(data, 2, 0{shuffle})
batches = DataLoader(data, batch_size=2, sampler={sampler})
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range({epochs}):
    {before}
    for i, (x, y) in enumerate(batches):
        loss = (net(x) - y).square().mean()
        {then}
"""
STEP = "optimizer.zero_grad(); loss.backward(); optimizer.step()"


def told(
    shuffle: str = "",
    sampler: str = "sampler",
    epochs: str = "3",
    before: str = "print(epoch)",
    then: str = STEP,
) -> bool:
    """Whether it is told where the sampler is made."""
    program = TEXT.format(shuffle=shuffle, sampler=sampler, epochs=epochs, before=before, then=then)
    return rows(program, Pitfall.ORDER_REPEATED) == [6]


def test_a_sampler_that_each_epoch_asks_for_the_same_order_is_told() -> None:
    assert told()


def test_a_sampler_that_is_told_the_epoch_is_quiet() -> None:
    assert not told(before="sampler.set_epoch(epoch)")


@pytest.mark.parametrize("shuffle", [", False", ", shuffle=False"])
def test_a_sampler_that_does_not_shuffle_is_quiet(shuffle: str) -> None:
    assert not told(shuffle)


def test_the_order_of_a_validation_may_be_the_same() -> None:
    assert not told(then="print(loss.item())")


def test_one_epoch_has_one_order() -> None:
    assert not told(epochs="1")


def test_another_sampler_is_quiet() -> None:
    assert not told(sampler="None")


ENDLESS = """
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

def cycle(batches):
    {head}
        for batch in batches:
            yield batch

data = TensorDataset(torch.ones(8, 2), torch.ones(8, 1))
sampler = DistributedSampler(data, 2, 0)
batches = cycle(DataLoader(data, batch_size=2, sampler=sampler))
for step in range(9):
    x, y = next(batches)
"""


def test_a_generator_that_hands_out_a_loader_without_end_is_told() -> None:
    assert rows(ENDLESS.format(head="while True:"), Pitfall.ORDER_REPEATED) == [11]


def test_a_generator_that_goes_through_a_loader_once_is_quiet() -> None:
    assert rows(ENDLESS.format(head="if batches:"), Pitfall.ORDER_REPEATED) == []

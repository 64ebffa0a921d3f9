"""Of several values that are written into a dictionary, the one that is not cut off its graph."""

import pytest

from tests.vm.running import faults

KEPT = """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def minibatch(x):
    loss = model(x).exp().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {made}
every = []
for _ in range(3):
    every.append(minibatch(torch.ones(2, 3)))
"""
ENTRY, APPENDED = 11, 14


@pytest.mark.parametrize(
    ("made", "row"),
    [
        ('{"size": loss.detach(), "loss": loss}', ENTRY),
        ("dict(size=loss.item(), loss=loss)", ENTRY),
        ('{"name": "loss", "loss": loss}', APPENDED),
        ("dict(loss=loss)", APPENDED),
    ],
)
def test_a_kept_graph_is_told_at_the_entry_beside_others_that_are_cut(made: str, row: int) -> None:
    places = [fault.place for fault in faults(KEPT.format(made=made))]
    assert [place.row for place in places if place] == [row]


def test_nothing_is_told_where_every_entry_is_cut() -> None:
    assert faults(KEPT.format(made='{"size": loss.item(), "loss": loss.detach()}')) == []

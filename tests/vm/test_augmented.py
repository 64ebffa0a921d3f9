"""`a += value` of objects that say themselves what it means."""

import pytest

from tests.vm.running import certain

METER = """
class Meter:
    def __init__(self):
        self.values = []

    def {method}(self, value):
        self.values.append({kept})
        return self

w = torch.ones(2, requires_grad=True)
meters = {{"loss": Meter()}}
for _ in range(4):
    loss = (w ** 2).sum()
    loss.backward()
    meters["loss"] += loss
    w.grad = None
"""


@pytest.mark.parametrize("method", ["__iadd__", "__add__"])
def test_an_object_is_asked_by_its_own_method(method: str) -> None:
    assert certain(METER.format(method=method, kept="value.item()")) == []
    assert certain(METER.format(method=method, kept="value")) == ["graph-kept"]


def test_the_method_for_the_statement_comes_first() -> None:
    text = METER.format(method="__add__", kept="value")
    own = "    def __iadd__(self, value):\n        return self\n\nw = "
    assert certain(text.replace("w = ", own, 1)) == []

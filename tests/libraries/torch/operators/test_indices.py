"""What an operator takes as places is of integers, which come from no graph."""

import pytest

from tests.vm.running import kinds

PLACED = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 2)
        self.words = nn.Embedding(9, 2)
        self.past = None

    def forward(self, words, places):
        words = self.words(words)
        if self.past is not None:
            places = places + self.past + 1
        self.past = places[:, -1]
        found = {used}
        found.mul_(2)
        return words + found

class Pipe(Model):
    def forward(self, args):
        assert len(args) == 3
        words, places, mask = args[0], args[1], args[2]
        return super().forward(words, places), mask
"""


@pytest.mark.parametrize(
    "used",
    [
        "self.table(places)",
        "nn.functional.embedding(places, self.table.weight)",
        "torch.gather(self.table.weight, 0, places)",
        "self.table.weight.index_select(0, places)",
    ],
)
def test_places_that_a_module_keeps_have_no_graph(used: str) -> None:
    assert kinds(PLACED.format(used=used)) == []


def test_what_is_computed_with_may_have_one() -> None:
    assert kinds(PLACED.format(used="self.table(torch.arange(3))")) == ["graph-kept"]


NORMED = """
def train(model, data):
    weight = nn.Parameter(torch.ones(2))
    spread = torch.sqrt(model.bn.{name})
    for x in data:
        (weight * x / spread).sum().backward()
"""


def test_the_buffers_of_a_layer_are_data() -> None:
    assert kinds(NORMED.format(name="running_var")) == []
    assert kinds(NORMED.format(name="scale")) == ["graph-freed"]

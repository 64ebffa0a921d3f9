"""The last round of a loop, where the number of rounds is not known."""

import pytest

from tests.vm.running import kinds

# Wrong where a layer other than the last one is followed by what saves its result.
NET = """
class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(n, n) for n in sizes)
        self.count = len(sizes)

    def forward(self, x):
        for {target} in {over}:
            x = self.layers[i](x)
            if {condition}:
                x = torch.relu(x)
        return x.sigmoid_()
"""
OVER_LAYERS = ("i, layer", "enumerate(self.layers)")
UP_TO_COUNT = ("i", "range(self.count)")


@pytest.mark.parametrize(
    ("loop", "condition"),
    [
        (OVER_LAYERS, "i != len(self.layers) - 1"),
        (OVER_LAYERS, "i < len(self.layers) - 1"),
        (OVER_LAYERS, "i + 1 < len(self.layers)"),
        (OVER_LAYERS, "not i == len(self.layers) - 1"),
        (UP_TO_COUNT, "i < self.count - 1"),
        (UP_TO_COUNT, "i < self.count - self.left"),
        (("i", "range(self.first, self.count)"), "i < self.count - 1"),
        (("i", "range(len(self.layers))"), "i != len(self.layers) - 1"),
    ],
)
def test_what_is_done_in_all_rounds_but_the_last(loop: tuple[str, str], condition: str) -> None:
    assert kinds(NET.format(target=loop[0], over=loop[1], condition=condition)) == []


@pytest.mark.parametrize(
    ("loop", "condition"),
    [
        (OVER_LAYERS, "i == len(self.layers) - 1"),
        (OVER_LAYERS, "i + 1 >= len(self.layers)"),
        (OVER_LAYERS, "i < len(self.others) - 1"),
        (UP_TO_COUNT, "i < self.count"),
        (UP_TO_COUNT, "i >= self.count - self.left"),
        (("i", "range(0, self.count, 2)"), "i < self.count - 1"),
    ],
)
def test_what_may_be_done_in_the_last_round(loop: tuple[str, str], condition: str) -> None:
    text = NET.format(target=loop[0], over=loop[1], condition=condition)
    assert kinds(text) == ["saved-tensor-modified"]

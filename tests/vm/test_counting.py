"""Numbers of rounds of which nobody knows how many there are."""

import pytest

from tests.vm.running import kinds

NET = """
class Net(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.cells, self.aside = nn.ModuleList(), None
        for i, width in enumerate(widths):
            self.cells.append(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)))
            if width > 9:
                self.head = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4))
                self.aside = {kept}

    def forward(self, x):
        found, other = [x], None
        for i, cell in enumerate(self.cells):
            found.append(cell(torch.relu(found[-1])))
            if i == self.aside:
                other = self.head(found[-1])
        return found[-1] + 1, other
"""


@pytest.mark.parametrize(("kept", "found"), [("i", []), ("1", ["argument-overwritten"])])
def test_which_of_many_rounds_an_object_keeps_is_not_that_of_the_last(
    kept: str, found: list[str]
) -> None:
    assert kinds(NET.format(kept=kept)) == found

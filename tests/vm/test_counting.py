"""Numbers of rounds of which nobody knows how many there are."""

import pytest

from tests.vm.running import certain, kinds

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


RACK = """
class Rack(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.filters = {filters}
        for i in range(2):
            setattr(self, f"gain{{i}}", nn.Parameter(torch.ones(3)))

rack = Rack(2)
for i in range(len(rack.filters)):
    getattr(rack, f"gain{{i}}").mul_(0.5)
"""


@pytest.mark.parametrize(
    "filters",
    [
        "nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])",
        "nn.Sequential(nn.Linear(3, 3), nn.ReLU())",
        "nn.ModuleDict({'first': nn.Linear(3, 3), 'second': nn.ReLU()})",
        "nn.ParameterList([nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))])",
    ],
)
def test_a_container_of_modules_says_how_many_it_has(filters: str) -> None:
    assert certain(RACK.format(filters=filters)) == ["leaf-modified"]


def test_a_container_that_was_filled_in_part_does_not() -> None:
    rack = "rack = nn.Sequential(*[nn.Linear(3, 3) for _ in range({count})])\n"
    asked = "w = torch.ones(3, requires_grad=True)\nif len(rack) == {count}:\n    w += 1\n"
    assert certain((rack + asked).format(count=4)) == ["leaf-modified"]
    assert certain((rack + asked).format(count=40)) == []


LENGTH = """
class Bag:
    def __len__(self):
        w = torch.ones(3, requires_grad=True)
        w += 1
        return 3

len(Bag())
"""


def test_an_object_counts_by_its_own_method() -> None:
    assert certain(LENGTH) == ["leaf-modified"]

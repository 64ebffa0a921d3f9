"""Classes of tensors that hand out their plain tensor without its graph."""

import pytest

from autograd_lint.checkers.alone.cut_conversions import judge
from autograd_lint.project.source import Source

TEXT = '''
import torch

class Angle({base}):
    def degrees(self):
        return {computed}

    def {name}(self):
        """The plain tensor."""
        return {returned}
'''
USUAL = {
    "base": "torch.Tensor",
    "computed": "self * 57.3",
    "name": "tensor",
    "returned": "self.data",
}


def rows(**changed: str) -> list[int]:
    faults = judge(Source("angles.py", TEXT.format(**USUAL | changed)))
    return [fault.place.row for fault in faults if fault.place is not None]


@pytest.mark.parametrize("returned", ["self.data", "self.detach()"])
def test_a_conversion_that_cuts_is_told(returned: str) -> None:
    assert rows(returned=returned) == [10]


@pytest.mark.parametrize(
    "changed",
    [
        {"returned": "self.as_subclass(torch.Tensor)"},
        {"name": "detached"},
        {"name": "_plain"},
        {"base": "torch.nn.Module"},
        {"computed": "self.rate"},
    ],
)
def test_what_keeps_the_graph_or_says_that_it_does_not_is_quiet(changed: dict[str, str]) -> None:
    assert rows(**changed) == []

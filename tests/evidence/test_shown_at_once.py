"""What the cells of a notebook show is there to be looked at."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

CELL = """\
import torch

x, y = torch.ones(3), torch.ones(3)
y.add(x)
{behind}
y += x
"""


@pytest.mark.parametrize(
    ("behind", "ends", "weight"),
    [("print(y)", {5}, 2), ("y.shape", {5}, 2), ("y *= 2", {5}, 0), ("print(y)", set(), 0)],
)
def test_a_dropped_result_may_be_what_a_cell_shows(
    behind: str, ends: set[int], weight: int
) -> None:
    source = Source("a.ipynb", CELL.format(behind=behind), frozenset(ends))
    found = [one.weight for one in analyse(source) if one.kind is Pitfall.RESULT_DROPPED]
    assert found == [weight]

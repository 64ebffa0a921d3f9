"""Values that come from other processes have no graph."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

GATHERED = """
import torch.distributed as dist
text = nn.Linear(4, 1)
moved = torch.optim.SGD([*model.parameters(), *text.parameters()], lr=0.1)
for x, _ in loader:
    here, there = model(x), text(x)
    gathered = [torch.zeros_like(there) for _ in range({count})]
    dist.all_gather(gathered, there)
    {own}
    loss = (here @ torch.cat(gathered).T).mean()
    moved.zero_grad()
    loss.backward()
    moved.step()
"""


@pytest.mark.parametrize("count", ["2", "dist.get_world_size()"])
@pytest.mark.parametrize(
    ("own", "found"), [("pass", [8]), ("gathered[dist.get_rank()] = there", [])]
)
def test_gathered_values_lead_no_gradient_back(count: str, own: str, found: list[int]) -> None:
    text = GATHERED.format(count=count, own=own)
    assert rows(text, Pitfall.GRADIENT_CUT) == found

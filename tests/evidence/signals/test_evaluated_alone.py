"""An evaluation in a loop goes through data; one that stands alone looks at one result."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source

TEXT = """import torch
from torch import nn

model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [torch.ones(1, 3) for _ in range(4)]
for x in data:
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()

def show():
    model.eval()
    {shown}

show()
"""


@pytest.mark.parametrize(
    ("shown", "alone"),
    [
        ("print(model(data[0]).shape)", True),
        ("for x in data:\n        print(model(x).shape)", False),
    ],
)
def test_only_what_no_loop_goes_round_stands_alone(shown: str, alone: bool) -> None:
    (found,) = analyse(Source("a.py", TEXT.format(shown=shown)))
    assert ("evaluated-alone" in found.signals) is alone

"""Tensors in a branch for arrays of NumPy."""

import pytest

from tests.vm.running import kinds

APPLIED = """
import numpy as np

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x, transform):
        return applied(transform, self.layer(x))

def applied(transform, points):
    if {condition}:
        points = np.asarray(points)
    return points @ transform
"""


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("isinstance(transform, np.ndarray)", []),
        ("isinstance(transform, list)", ["numpy-on-grad"]),
    ],
)
def test_who_has_an_array_has_no_tensor_beside_it(condition: str, found: list[str]) -> None:
    assert kinds(APPLIED.format(condition=condition)) == found

"""Functions that other packages compile."""

import pytest

from tests.vm.running import certain

KERNEL = """
import numba
import taichi as ti
from functools import lru_cache

@{decorator}
def fill(data):
    for i in range(3):
        data[i] = 1.0

weight = nn.Parameter(torch.zeros(3))
fill(weight)
"""


@pytest.mark.parametrize("decorator", ["ti.kernel", "numba.njit(parallel=True)"])
def test_what_is_compiled_is_no_python(decorator: str) -> None:
    assert certain(KERNEL.format(decorator=decorator)) == []
    assert certain(KERNEL.format(decorator="lru_cache")) == ["leaf-view-modified"]

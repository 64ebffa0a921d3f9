"""What `copy.copy` and `copy.deepcopy` of a tensor share with it."""

import pytest

from tests.vm.running import kinds

PROGRAM = """
import copy

import torch

weight = torch.ones(3, requires_grad=True)
factor = torch.ones(3)
taken = {copy}(factor)
loss = (weight * factor).sum()
taken.mul_(5)
loss.backward()
"""


@pytest.mark.parametrize(
    ("copy", "expected"), [("copy.copy", ["saved-tensor-modified"]), ("copy.deepcopy", [])]
)
def test_only_a_shallow_copy_lies_in_the_same_memory(copy: str, expected: list[str]) -> None:
    assert kinds(PROGRAM.format(copy=copy)) == expected

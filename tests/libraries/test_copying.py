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


MEMO = """
import copy

import torch

tensors = {"a": torch.ones(3, requires_grad=True).exp()}
copied = copy.deepcopy(tensors{memo})
"""


@pytest.mark.parametrize(
    ("memo", "expected"),
    [("", ["other"]), (", {id(one): one for one in tensors.values()}", [])],
)
def test_what_a_memo_holds_is_not_copied(memo: str, expected: list[str]) -> None:
    assert kinds(MEMO.replace("{memo}", memo)) == expected

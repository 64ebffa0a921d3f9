"""Tensors of no elements: what they have room for, and who fills them."""

import pytest

from tests.vm.running import certain, kinds

BUFFER = """
import swapping
flat = {made}
flat.requires_grad = True
{handed}
flat.grad = torch.zeros(3)
"""


ROOT = """
flat = {made}
flat.requires_grad = True
(flat * 2).backward()
"""


@pytest.mark.parametrize("made", ["torch.Tensor()", "torch.FloatTensor()", "torch.empty(0)"])
def test_a_tensor_of_nothing_is_no_scalar(made: str) -> None:
    assert certain(ROOT.format(made=made)) == ["non-scalar-root"]


def test_a_size_may_be_given_by_its_name() -> None:
    assert certain(ROOT.format(made="torch.FloatTensor(size=(1,))")) == []
    assert certain(ROOT.format(made="torch.FloatTensor(size=(2,))")) == ["non-scalar-root"]


@pytest.mark.parametrize("handed", ["swapping.fill(flat, 3)", "swapping.fill(parameters=[flat])"])
def test_who_is_handed_what_is_empty_may_fill_it(handed: str) -> None:
    assert kinds(BUFFER.format(made="torch.Tensor()", handed=handed)) == []
    assert kinds(BUFFER.format(made="torch.ones(2)", handed=handed)) == ["other"]

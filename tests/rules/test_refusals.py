"""Advice follows from what PyTorch says, and there is none where that is not known."""

import pytest

from autograd_lint.rules.refusals import advice
from autograd_lint.rules.refused_by_autograd import beginning

SAID = {
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation.": "`.clone()`",
    "Function 'SqrtBackward0' returned nan values in its 0th output.": "`clamp`",
    "assigned grad expected to be a Tensor or None but got grad of type int": "a tensor, or None",
    "float() argument must be a string or a real number, not 'NoneType'": "from the closure",
    "'NoneType' object has no attribute 'zero_'": "`zero_grad()`",
    "No inf checks were recorded for this optimizer.": "`scaler.scale(loss).backward()`",
    "Unexpected keyword arguments: t": "`use_reentrant=False`",
    "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
    "enter_dual_level() first.": "dual_level()",
    "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[2.]], "
    "dtype=torch.float64)\nanalytical:tensor([[3.]], dtype=torch.float64)": "correct the formula",
    "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[2.]])": "double",
    "cannot resize variables that require grad": "`.detach()`",
    "__setstate__ can be only called on leaf Tensors": "to the leaf",
}


@pytest.mark.parametrize("said", SAID)
def test_a_refusal_has_its_own_advice(said: str) -> None:
    assert SAID[said] in advice(said)


def test_nothing_is_advised_where_a_message_is_not_known() -> None:
    assert advice("not here") == ""


def test_a_message_begins_with_the_words_of_pytorch() -> None:
    assert beginning("This hook will be missing some.\nPlease use another.") == (
        "This hook will be missing some"
    )
    assert beginning("at torch.nn.Module in 2.13") == "at torch.nn.Module in 2.13"
    long = beginning("word " * 40)
    assert (long.split()[-1], len(long) <= 124) == ("...", True)
    assert beginning("") == ""

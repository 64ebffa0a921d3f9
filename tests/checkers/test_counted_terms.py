"""Losses that one step counts more than once."""

import pytest

from tests.vm.running import kinds

TEXT = """
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
total = 0.0
for batch in torch.ones(4, 3):
    {body}
optimizer.step()
"""


@pytest.mark.parametrize(
    "body",
    [
        "total = total + (batch * w).square().mean(); total.backward(retain_graph=True)",
        "total += (batch * w).square().mean() / 4; (0.5 * total).backward(retain_graph=True)",
    ],
)
def test_a_running_sum_that_is_walked_in_each_round_counts_its_first_terms_again(body: str) -> None:
    assert "term-counted-twice" in kinds(TEXT.format(body=body))


@pytest.mark.parametrize(
    "body",
    [
        "(batch * w).square().mean().backward()",
        "loss = (batch * w).square().mean(); loss.backward(); total += loss.item()",
        "total = total + (batch * w).square().mean(); w.grad = None;"
        " total.backward(retain_graph=True)",
    ],
)
def test_a_term_that_is_walked_once_or_whose_gradient_was_cleared_is_quiet(body: str) -> None:
    assert "term-counted-twice" not in kinds(TEXT.format(body=body))


def test_two_losses_of_one_result_have_no_term_in_common() -> None:
    program = """
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
out = torch.ones(4, 3) @ w
out.mean().backward(retain_graph=True)
(out.square().mean() + out.sum()).backward()
optimizer.step()
"""
    assert kinds(program) == []


def test_a_running_sum_is_not_told_as_one_that_was_not_divided() -> None:
    body = "total = total + (batch * w).square().mean(); total.backward(retain_graph=True)"
    assert "accumulation-unscaled" not in kinds(TEXT.format(body=body))

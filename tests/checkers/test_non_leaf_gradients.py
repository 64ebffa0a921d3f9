"""`.grad` that backward never fills, of tensors that nobody has asked to require grad."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import HEAD, rows

SALIENCY = """
    def saliency(image, label):
        x = torch.from_numpy(image)
        {before}
        F.cross_entropy(model(x), label).backward()
        {used}
    """


@pytest.mark.parametrize(
    ("before", "used", "found"),
    [
        ("pass", "return x.grad.abs()", [6]),
        ("pass", "return x.grad * 2", [6]),
        ("pass", "grad = x.grad; grad = grad.abs(); return grad", [6]),
        ("x.requires_grad_()", "return x.grad.abs()", []),
        ("pass", "return x.grad", []),  # it may be None there
        ("pass", "return None if x.grad is None else x.grad.abs()", []),
        ("prepare(x)", "return x.grad.abs()", []),
    ],
)
def test_a_program_computes_with_the_gradient_of_plain_numbers(
    before: str, used: str, found: list[int]
) -> None:
    program = SALIENCY.format(before=before, used=used)
    head = "from elsewhere import prepare\n" + HEAD
    assert rows(program, Pitfall.NON_LEAF_GRAD, head) == found


def test_what_comes_after_an_absent_gradient_is_still_run() -> None:
    program = """
    x = torch.ones(1, 4)
    model(x).sum().backward()
    grad = x.grad
    print(grad.sign())
    h = model(x) * 2
    h.sum().backward()
    h.grad.abs()
    """
    assert rows(program, Pitfall.NON_LEAF_GRAD) == [4, 8]


def test_a_caught_error_of_an_absent_gradient_is_meant() -> None:
    program = """
    x = torch.ones(1, 4)
    model(x).sum().backward()
    try:
        x.grad.zero_()
    except AttributeError:
        pass
    """
    assert rows(program, Pitfall.NON_LEAF_GRAD) == []


BESIDE = """
    def direction(inputs):
        x = inputs.detach()
        rows = x.reshape(-1, 4)
        {asked}.requires_grad = True
        model({given}).sum().backward()
        {read}
    direction(torch.randn(2, 3, 4))
    """


@pytest.mark.parametrize(
    ("asked", "given", "read", "found"),
    [
        ("rows", "rows", "return x.grad", [7]),
        ("rows", "rows", "return rows.grad", []),
        ("x", "x", "return x.grad", []),
        ("rows", "rows", "return x.grad is not None", []),
        ("rows", "rows.clone().detach()", "return x.grad", []),  # no gradient was computed
    ],
)
def test_the_gradient_of_a_view_is_not_that_of_the_tensor(
    asked: str, given: str, read: str, found: list[int]
) -> None:
    program = BESIDE.format(asked=asked, given=given, read=read)
    assert rows(program, Pitfall.NON_LEAF_GRAD) == found

"""Modules whose `backward` nothing runs."""

from autograd_lint.checkers.alone.module_backwards import judge
from tests.checkers.noting import told_at

TEXT = """\
class Scale({base}):
    def forward(self, x):
        return x * 2

    def backward(self, {given}):
        {body}
{after}
"""


def _rows(
    base: str = "nn.Module",
    given: str = "grad_output",
    body: str = "return grad_output * 2",
    after: str = "",
) -> list[int]:
    return told_at(judge, TEXT.format(base=base, given=given, body=body, after=after))


def test_a_module_that_takes_a_gradient_and_gives_one_back_is_told() -> None:
    assert _rows() == [5]


def test_a_function_is_quiet() -> None:
    assert _rows(base="torch.autograd.Function") == []


def test_a_backward_that_takes_a_loss_is_quiet() -> None:
    assert _rows(given="loss") == []


def test_a_backward_that_gives_nothing_back_is_quiet() -> None:
    assert _rows(body="self.kept = grad_output") == []


def test_a_backward_that_the_file_hands_a_gradient_is_quiet() -> None:
    assert _rows(after="scale.backward(gradient)") == []

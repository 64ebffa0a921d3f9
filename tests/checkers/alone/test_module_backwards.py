"""Modules whose `backward` nothing runs."""

from autograd_lint.checkers.alone.module_backwards import judge
from autograd_lint.project.source import Source
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


def _assumed(given: str, after: str) -> list[str]:
    text = TEXT.format(base="nn.Module", given=given, body="return grad_output", after=after)
    return [one.name for fault in judge(Source("a.py", text)) for one in fault.assumptions]


def test_who_may_run_it_is_assumed_where_the_file_does_not_say_so() -> None:
    assert _assumed("grad_output", "") == ["meant-for-autograd"]


def test_autograd_is_meant_to_run_it_where_it_takes_a_context() -> None:
    assert _assumed("ctx, grad_output", "") == []


def test_autograd_is_meant_to_run_it_where_the_file_has_it_run_backward() -> None:
    assert _assumed("grad_output", "loss.backward()") == []


def test_a_function_is_quiet() -> None:
    assert _rows(base="torch.autograd.Function") == []


def test_a_backward_that_takes_a_loss_is_quiet() -> None:
    assert _rows(given="loss") == []


def test_a_backward_that_gives_nothing_back_is_quiet() -> None:
    assert _rows(body="self.kept = grad_output") == []


def test_a_backward_that_the_file_hands_a_gradient_is_quiet() -> None:
    assert _rows(after="scale.backward(gradient)") == []

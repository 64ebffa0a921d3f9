"""What the text of a file tells of gives way to what a run has shown."""

import pytest

from tests.vm.running import kinds

TWICE = "w = torch.ones(3, requires_grad=True)\nloss = {loss}\nloss.backward()\nloss.backward()\n"


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        pytest.param("w.sum()", [], id="nothing is saved"),
        pytest.param("w.exp().sum()", ["graph-freed"], id="something is saved"),
    ],
)
def test_a_second_backward_that_has_run_is_judged_by_the_engine(
    loss: str, found: list[str]
) -> None:
    assert kinds(TWICE.format(loss=loss)) == found


UNCALLED = """
w = torch.ones(3, requires_grad=True)
(gradient,) = torch.autograd.grad(w.sum(), w, create_graph=True)
{line}
"""


def test_what_a_call_without_parentheses_would_raise_is_not_told() -> None:
    assert kinds(UNCALLED.format(line="gradient.backward")) == ["not-called"]
    assert kinds(UNCALLED.format(line="gradient.sum().backward()")) == ["no-grad-root"]


def test_a_backward_without_parentheses_frees_nothing() -> None:
    program = "w = torch.ones(3, requires_grad=True)\nloss = w.exp().sum()\n"
    assert kinds(program + "loss.backward\nloss.backward()\n") == ["not-called"]

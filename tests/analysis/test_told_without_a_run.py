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

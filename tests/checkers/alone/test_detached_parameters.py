"""Parameters that `detach_()` freezes where its value is used."""

import pytest

from autograd_lint.checkers.alone.detached_parameters import judge
from tests.checkers.noting import told_at

TEXT = """\
class Net(nn.Module):
    def __init__(self):
        self.weight = {made}

    def forward(self, x):
        {use}
        return x
"""


def _rows(use: str, made: str = "nn.Parameter(torch.ones(3))") -> list[int]:
    return told_at(judge, TEXT.format(made=made, use=use))


@pytest.mark.parametrize(
    "use", ["x = x * self.weight.detach_()", "kept = self.weight.detach_().clone()"]
)
def test_a_parameter_whose_detached_value_is_used_is_told(use: str) -> None:
    assert _rows(use) == [6]


@pytest.mark.parametrize("use", ["self.weight.detach_()", "x = x * self.weight.detach()"])
def test_a_statement_that_freezes_and_a_detached_copy_are_quiet(use: str) -> None:
    assert _rows(use) == []


def test_what_is_no_parameter_is_quiet() -> None:
    assert _rows("x = x * self.weight.detach_()", made="torch.ones(3)") == []

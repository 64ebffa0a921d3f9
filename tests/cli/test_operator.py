"""The command `operator`."""

import pytest
from click.testing import CliRunner, Result

from autograd_lint.cli import app
from autograd_lint.errors import Trouble


def invoke(name: str) -> Result:
    return CliRunner().invoke(app, ["operator", name], standalone_mode=False)


@pytest.mark.parametrize("name", ["torch.sigmoid", "sigmoid", "torch.Tensor.sigmoid"])
def test_sigmoid_saves_its_result(name: str) -> None:
    assert "result" in invoke(name).stdout


@pytest.mark.parametrize("name", ["add_", "nn.Linear", "torch.nn.functional.relu", "relu"])
def test_operators_are_found_by_short_names(name: str) -> None:
    assert invoke(name).exception is None


def test_an_unknown_operator_is_one_line() -> None:
    result = invoke("torch.sigmoidd")
    assert isinstance(result.exception, Trouble)
    assert str(result.exception) == "unknown operator `torch.sigmoidd`; did you mean `sigmoid`?"

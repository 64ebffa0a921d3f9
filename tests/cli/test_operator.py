"""The command `operator`."""

import pytest
from click.testing import CliRunner, Result

from autograd_lint.cli import app
from autograd_lint.errors import Trouble


def invoke(name: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["operator", name, *options], standalone_mode=False)


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


def test_what_other_versions_do_is_told() -> None:
    newest = invoke("combinations").stdout.splitlines()
    assert newest[0].startswith("combinations: saves no tensor.")
    assert "combinations: saves its input" in newest[1]


def test_an_operator_of_an_older_version() -> None:
    first = invoke("combinations", "--target-torch", "2.13").stdout.splitlines()[0]
    assert first.startswith("combinations: saves its input")


def test_an_operator_that_a_version_has_not_yet() -> None:
    result = invoke("hash_tensor", "--target-torch", "2.4")
    assert isinstance(result.exception, Trouble)
    assert str(result.exception).startswith("torch 2.4 has no operator `hash_tensor`; it is there")


def test_a_version_that_was_not_measured_is_one_line() -> None:
    result = invoke("sigmoid", "--target-torch", "1.0")
    assert "target torch 1.0 is not known" in str(result.exception)

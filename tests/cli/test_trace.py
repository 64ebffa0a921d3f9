"""The command `trace`."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from autograd_lint.cli import app
from autograd_lint.errors import Trouble


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["trace", *arguments], standalone_mode=False)


def test_a_program_must_be_named() -> None:
    result = invoke()
    assert isinstance(result.exception, click.UsageError)
    assert "name a script, or a module with -m" in str(result.exception)


def test_a_missing_script_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke("gone.py")
    assert isinstance(result.exception, Trouble)
    assert str(result.exception) == "trace: gone.py: there is no such file"

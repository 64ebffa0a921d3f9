"""The output that the README shows is the output of the tool."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autograd_lint.cli import app

ROOT = Path(__file__).parents[2]


def test_the_readme_shows_what_the_tool_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("```console\n")[1]
    command, _, shown = block.partition("```")[0].partition("\n")
    arguments = command.removeprefix("$ autograd-lint ").split()
    assert CliRunner().invoke(app, arguments, standalone_mode=False).stdout == shown

"""The answers that the page on `diagnose` shows are the answers of the tool."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autograd_lint.cli import app

ROOT = Path(__file__).parents[2]
BLOCKS = (ROOT / "docs" / "diagnose.md").read_text(encoding="utf-8").split("```console\n")[1:]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_story_shows_what_the_tool_prints(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, shown = block.partition("```")[0].partition("\n")
    arguments = command.removeprefix("$ autograd-lint ").split()
    assert CliRunner().invoke(app, arguments, standalone_mode=False).stdout == shown

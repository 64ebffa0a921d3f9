"""The documentation names what there is."""

import re
from pathlib import Path

import click
import pytest

from autograd_lint.cli import app
from autograd_lint.cli.check import check
from autograd_lint.configuration import config

ROOT = Path(__file__).parents[2]
USAGE = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")


def options() -> list[str]:
    """The options of `check` that have an effect to tell of."""
    given = [parameter for parameter in check.params if isinstance(parameter, click.Option)]
    return [option.opts[0] for option in given]


@pytest.mark.parametrize("option", options())
def test_every_option_is_in_the_usage_page(option: str) -> None:
    assert f"`{option}" in USAGE or f" {option}" in USAGE


@pytest.mark.parametrize("key", config.KEYS)
def test_every_key_is_in_the_usage_page(key: str) -> None:
    assert key in USAGE


@pytest.mark.parametrize("command", app.list_commands(click.Context(app)))
def test_every_command_is_in_the_usage_page(command: str) -> None:
    assert f"`autograd-lint {command}" in USAGE


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_no_code_in_a_table_has_a_bar(page: Path) -> None:
    """The site would show the backslash that a bar needs in a table."""
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    assert [row for row in rows if re.search(r"`[^`|]*\\\|[^`]*`", row)] == []


def test_every_room_is_in_the_architecture_page() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "autograd_lint"
    rooms = [path.parent.name for path in package.glob("*/__init__.py")]
    assert [room for room in rooms if f"`{room}/`" not in page] == []


SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def lines_of_attacks() -> list[str]:
    """The lines of the tables of attacks in the page on security."""
    tables = SECURITY.partition("## What was tried")[2].splitlines()
    return [
        line for line in tables if line.startswith("| ") and not line.startswith(("| tr", "| -"))
    ]


@pytest.mark.parametrize("line", lines_of_attacks())
def test_every_attack_in_the_page_on_security_has_its_test(line: str) -> None:
    names = re.findall(r"`([\w/]*\.py)?(?:::(\w+))?`", line.split("|")[-2])
    file = ""
    assert names
    for given, test in names:
        file = given or file
        folder = ROOT if file.startswith("benchmarks/") else ROOT / "tests"
        assert f"def {test or 'main'}(" in (folder / file).read_text(encoding="utf-8")

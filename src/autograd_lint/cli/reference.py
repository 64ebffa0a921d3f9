"""Writes what documentation and editors need to know of commands and configuration:
`python -m autograd_lint.cli.reference docs`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from autograd_lint import addresses
from autograd_lint.cli import app, errors_page
from autograd_lint.configuration import config

PAGE = "reference.md"
SCHEMA = "autograd-lint.schema.json"


def page() -> str:
    """Every command with its options, and every key of a configuration file, in Markdown."""
    lines = [
        "# Commands and configuration",
        "",
        "Written by `python -m autograd_lint.cli.reference`.",
    ]
    context = click.Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        if command is not None:
            lines += ["", *_command(name, command)]
    lines += ["", "## Configuration", "", "| key | value | means |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {_value(key)} | {key.meaning} |" for name, key in config.KEYS.items()]
    return "\n".join(lines) + "\n"


def _command(name: str, command: click.Command) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield " ".join((command.help or "").split("\f")[0].split())
    options = [one for one in command.params if isinstance(one, click.Option)]
    if options:
        yield from ("", "| option | does |", "| --- | --- |")
    for option in options:
        names = ", ".join(f"`{one}`" for one in option.opts)
        yield f"| {names}{_metavar(option)} | {option.help or ''} |"


def _metavar(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " " + "\\|".join(map(str, option.type.choices))
    return f" {option.metavar}" if option.metavar else ""


def _value(key: config.Key) -> str:
    choices = key.schema.get("enum")
    if isinstance(choices, tuple):
        return ", ".join(f'`"{one}"`' for one in choices)
    return {"array": "list of strings", "object": "table"}.get(
        str(key.schema["type"]), str(key.schema["type"])
    )


def schema() -> str:
    """The JSON schema of `autograd-lint.toml`, and of the table in `pyproject.toml`."""
    properties = {
        name: {"description": key.meaning, **key.schema} for name, key in config.KEYS.items()
    }
    document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{addresses.DOCUMENTATION}{SCHEMA}",
        "title": "autograd-lint",
        "description": "The configuration of autograd-lint",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    return json.dumps(document, indent=2) + "\n"


def main(folder: Path) -> None:
    """Write all of them into a folder."""
    (folder / errors_page.PAGE).write_text(errors_page.page(), encoding="utf-8")
    (folder / PAGE).write_text(page(), encoding="utf-8")
    (folder / SCHEMA).write_text(schema(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What `--show-files` and `--show-settings` print."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from autograd_lint.checking.target import target_of
from autograd_lint.configuration.governing import Governing
from autograd_lint.errors import Trouble
from autograd_lint.project.roots import Homes, folder_of


def files(found: Iterable[Path | Trouble]) -> int:
    """Print the files that would be checked; returns the exit code."""
    code = 0
    for one in found:
        if isinstance(one, Trouble):
            click.echo(f"autograd-lint: {one}", err=True)
            code = 2
        else:
            click.echo(one)
    return code


def settings(paths: Sequence[Path], governing: Governing) -> int:
    """Print the settings that hold for each path, as the configuration that says the same; returns
    the exit code."""
    for path in paths:
        found = governing.of(str(path / "*" if path.is_dir() else path))
        click.echo(f"# {path}: {found.file or 'no configuration file'}")
        for key, value in found.shown():
            if value is not None and key != _TARGET:
                click.echo(f"{key} = {_toml(value)}")
        target = target_of(governing, Homes().of(folder_of(Path(os.path.abspath(path)))))
        click.echo(f"{_TARGET} = {_toml(target.version)}  # {target.reason}")
    return 0


_TARGET = "target-torch"


def _toml(value: object) -> str:
    """A value as TOML writes it; strings, numbers and lists are those of JSON."""
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return json.dumps(value, ensure_ascii=False)

"""What `--watch` does: check again whenever a file changes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from watchfiles import Change

_SUFFIXES = (".py", ".pyi", ".ipynb", ".toml")


def watch(paths: Sequence[Path], check: Callable[[], int]) -> int:
    """Run `check`, and again after every change below `paths`, until Ctrl-C; returns 0.

    Raises Trouble where watchfiles is missing.
    """
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise Trouble(
            "--watch needs watchfiles; install it with `pip install 'autograd-lint[watch]'`"
        ) from None
    _checked(check)
    for _ in changes(*paths, watch_filter=_matters, raise_interrupt=False):
        click.clear()
        _checked(check)
    return 0


def _checked(check: Callable[[], int]) -> None:
    """One run; what is wrong with the settings is told, and may be put right while we wait."""
    try:
        check()
    except Trouble as trouble:
        click.echo(f"autograd-lint: {trouble}", err=True)
    click.echo("Watching for changes; Ctrl-C ends.", err=True)


def _matters(change: "Change", path: str) -> bool:
    return path.endswith(_SUFFIXES)

"""Writes styled lines: as they are, or in colour through rich."""

import os
from collections.abc import Iterable
from typing import TextIO

from autograd_lint.report.excerpt import Line

STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold cyan",
    "title": "bold",
    "gutter": "bold blue",
    "note": "bold cyan",
    "address": "dim",
    "saved": "cyan",
    "built": "cyan",
    "modified": "magenta",
    "freed": "magenta",
    "needed": "green",
}


def wants_colour(choice: str, stream: TextIO) -> bool:
    """Whether to colour: `always`, `never`, or for `auto` a terminal, unless NO_COLOR says not."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def width_of(stream: TextIO) -> int:
    """The width to draw to: the terminal's, else 100, so that files come out the same anywhere."""
    if not stream.isatty():
        return 100
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, 60)


def write(lines: Iterable[Line], stream: TextIO, colour: bool) -> None:
    """Write `lines` to `stream`."""
    if colour:
        _write_coloured(lines, stream)
        return
    for line in lines:
        stream.write("".join(text for text, _ in line).rstrip() + "\n")


def _write_coloured(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, color_system="standard")
    for line in lines:
        parts = ((text, _rich(style)) for text, style in line)
        console.print(Text.assemble(*parts), soft_wrap=True)


def _rich(style: str) -> str:
    """A style as rich writes it; what leads to an address becomes a link (OSC 8)."""
    name, _, address = style.partition(" ")
    known = STYLES.get(name, "")
    return f"{known} link {address}".strip() if address else known

"""The command `diagnose`: from the error that Python printed to the lines that explain it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from autograd_lint.diagnosis.diagnosing import Diagnosis

_SYMPTOMS = ("memory", "not-learning", "nan")


@click.command()
@click.option("--error", metavar="FILE", help="Read the error from FILE instead of standard input.")
@click.option(
    "--symptom",
    type=click.Choice(_SYMPTOMS),
    help="For problems without an error: memory grows, nothing is learned, or values become NaN.",
)
@click.option(
    "--most", type=click.IntRange(min=1), default=5, show_default=True, help="Candidates to show."
)
@click.option(
    "--output-format", type=click.Choice(("text", "json")), default="text", show_default=True
)
@click.option("--output-file", metavar="FILE", help="Write the result to FILE.")
@click.option(
    "--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
@click.option("--cache-dir", metavar="DIR", help="The folder of the cache.")
@click.option("--config", metavar="FILE", help="The configuration file to read.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
def diagnose(
    error: str | None,
    symptom: str | None,
    most: int,
    output_format: str,
    output_file: str | None,
    color: str,
    jobs: int | None,
    no_cache: bool,
    cache_dir: str | None,
    config: str | None,
    isolated: bool,
    paths: tuple[str, ...],
) -> int:
    """Find the lines that explain an error of autograd.

    Give it the error message or traceback, whole or in part, on standard input or with --error.
    PATHS are the program's files and folders; by default the project around the frames of the
    traceback, else the working directory. Nothing is run.
    """
    from autograd_lint.checking.configured import settings_for
    from autograd_lint.checking.request import Request as Checked
    from autograd_lint.diagnosis.diagnosing import Request
    from autograd_lint.diagnosis.diagnosing import diagnose as diagnosed
    from autograd_lint.diagnosis.symptoms import diagnose as ranked_silent

    settings = settings_for(Checked(paths, config=config, isolated=isolated))
    folder = Path(cache_dir) if cache_dir else settings.root / ".autograd_lint_cache"
    request = Request(
        "" if symptom else _text(error),
        tuple(map(Path, paths)),
        settings,
        jobs,
        None if no_cache else folder,
    )
    found = ranked_silent(symptom, request) if symptom else diagnosed(request)
    if found is None:
        _say_nothing(request.text)
    return _answer(found, output_format, output_file, color, most)


def _text(error: str | None) -> str:
    """What Python printed; raises Trouble where there is nothing to read."""
    if error is not None:
        try:
            text = Path(error).read_bytes().decode("utf-8", "replace")
        except OSError as reason:
            told = reason.strerror or "no such file"
            raise Trouble(f"--error {error}: cannot be read ({told}); name a text file") from None
    else:
        if sys.stdin.isatty():
            click.echo("Paste the error, then Ctrl-D:", err=True)
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        name = f"--error {error}" if error else "standard input"
        raise Trouble(f"{name}: is empty; give what Python printed, or --symptom")
    return text


def _say_nothing(text: str) -> None:
    from autograd_lint.diagnosis.reading import last_line

    said = last_line(text)[:120]
    click.echo(
        f"autograd-lint: nothing of autograd is in this text (its last line: {said!r});"
        " give the line with the error, or describe what goes wrong with --symptom",
        err=True,
    )


def _answer(
    found: Diagnosis | None, form: str, output_file: str | None, color: str, most: int
) -> int:
    from autograd_lint.cli.outcome import Texts
    from autograd_lint.cli.output import target
    from autograd_lint.diagnosis import printing as diagnosis
    from autograd_lint.report import printer

    for trouble in found.troubles if found is not None else ():
        click.echo(f"autograd-lint: {trouble}", err=True)
    with target(output_file, document=form == "json") as stream:
        if form == "json":
            stream.write(diagnosis.document(found, most) + "\n")
        elif found is not None:
            lines = diagnosis.text(found, Texts({}).lines, printer.width_of(stream), most)
            printer.write(lines, stream, printer.wants_colour(color, stream))
    if found is None:
        return 0
    return int(bool(found.ranked.candidates))

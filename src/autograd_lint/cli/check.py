"""The command `check`: its options, handed on as one request."""

from typing import Any

import click

from autograd_lint.checking.executors import PROCESSES
from autograd_lint.checking.request import FORMATS

CERTAINTIES = ("certain", "likely", "possible")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--select",
    multiple=True,
    metavar="CODES",
    help="Rules to check, instead of the configured ones.",
)
@click.option("--ignore", multiple=True, metavar="CODES", help="Rules not to check.")
@click.option("--extend-select", multiple=True, metavar="CODES", help="Rules to check in addition.")
@click.option(
    "--extend-ignore", multiple=True, metavar="CODES", help="Rules not to check in addition."
)
@click.option("--preview", is_flag=True, help="Also check preview rules.")
@click.option(
    "--code-blocks", is_flag=True, help="Also check code blocks in Markdown files and docstrings."
)
@click.option(
    "--per-file-ignores",
    multiple=True,
    metavar="PATTERN:CODES",
    help="Rules not to check in some files.",
)
@click.option("--certainty", type=click.Choice(CERTAINTIES), help="The lowest certainty to show.")
@click.option("--target-torch", metavar="X.Y", help="The version of torch the code is written for.")
@click.option("--confirm", is_flag=True, help="Run each finding on the real engine.")
@click.option(
    "--confirm-unconfined",
    is_flag=True,
    help="Like --confirm, but where there is no sandbox, run the code with your permissions.",
)
@click.option("--device", type=click.Choice(("auto", "cpu", "cuda")), help="Where to confirm.")
@click.option(
    "--save-witnesses",
    metavar="FOLDER",
    help="Save the programs that --confirm ran, one file per finding.",
)
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="Also apply unsafe fixes.")
@click.option("--diff", is_flag=True, help="Show what --fix would change.")
@click.option("--add-noqa", is_flag=True, help="Add a comment that ignores each finding.")
@click.option("--reason", metavar="TEXT", help="Text to append to each added comment.")
@click.option("--baseline", metavar="FILE", help="Hide the findings recorded in FILE.")
@click.option("--write-baseline", is_flag=True, help="Record the findings in the baseline.")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output-file", metavar="FILE", help="Write the findings to FILE.")
@click.option(
    "--output",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Also write the findings to FILE in another format.",
)
@click.option("--statistics", is_flag=True, help="Show counts per rule instead of findings.")
@click.option(
    "--coverage",
    is_flag=True,
    help="Show what no run reached, and why, instead of findings.",
)
@click.option(
    "--facts",
    multiple=True,
    metavar="FILE",
    help="Also analyse the calls recorded in FILE by `trace --record`.",
)
@click.option(
    "--fail-on",
    type=click.Choice((*CERTAINTIES, "never")),
    help="The lowest certainty that makes the exit code 1.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--stdin-filename", metavar="NAME", help="The file name to use for standard input.")
@click.option("--config", metavar="FILE", help="The configuration file to read.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERNS",
    help="Files and folders to exclude in addition.",
)
@click.option(
    "--force-exclude", is_flag=True, help="Apply `exclude` to files named on the command line, too."
)
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Processes to use.")
@click.option(
    "--executor",
    metavar="NAME",
    default=PROCESSES,
    show_default=True,
    help="Where files are checked: in processes, or by workers of dask://HOST:PORT.",
)
@click.option("--shard", metavar="I/N", help="Check only the I-th of N parts of the files.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
@click.option("--cache-dir", metavar="DIR", help="The folder of the cache.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked.")
@click.option("--show-settings", is_flag=True, help="Show the settings for each path.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes.")
@click.option("--quiet", "-q", is_flag=True, help="Show only findings, no summary.")
@click.option("--verbose", "-v", is_flag=True, help="Show what was checked and excluded.")
@click.option(
    "--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True
)
def check(**options: Any) -> int:
    """Lint files and folders (default: the working directory); `-` reads standard input.

    CODES are codes, prefixes (AG1), names, or ALL, separated by commas.
    """
    from autograd_lint.checking.request import Request
    from autograd_lint.cli.running import run

    return run(Request(**options))

"""What `check` does: settings, files, findings, output, exit code."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from autograd_lint.check import Checked, Machinery, standard_machinery, unique
from autograd_lint.cli import output
from autograd_lint.cli.configured import settings_for
from autograd_lint.cli.request import Request, refuse_absent
from autograd_lint.config import Settings
from autograd_lint.findings import Finding
from autograd_lint.project.discovery import Discovery
from autograd_lint.project.modules import root_of
from autograd_lint.workers import Plan, check_files

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found, all files together, and whether anything went wrong on the way."""

    findings: list[Finding]
    files: int
    suppressed: int
    troubled: bool


def run(request: Request, machinery: Callable[[], Machinery] = standard_machinery) -> int:
    """Check as `request` asks; returns the exit code. Raises Trouble for wrong usage."""
    refuse_absent(request)
    settings = settings_for(request)
    discovery = Discovery(settings, request.force_exclude)
    given = _read_stdin(request)
    plan = Plan(settings, _roots(request), machinery)
    outcome = _gather(_results(request, discovery, plan, given))
    output.write(request, outcome.findings, given, _summaries)
    _tell(request, settings, discovery, outcome)
    if outcome.troubled:
        return 2
    return int(bool(outcome.findings) and not request.exit_zero)


def _read_stdin(request: Request) -> dict[str, bytes]:
    """The bytes of standard input under the name to call them by, if `-` was given."""
    if STDIN not in request.paths:
        return {}
    name = os.path.abspath(request.stdin_filename) if request.stdin_filename else "<stdin>"
    return {name: sys.stdin.buffer.read()}


def _roots(request: Request) -> tuple[Path, ...]:
    named = [path for path in request.paths if path != STDIN]
    if request.stdin_filename:
        named.append(request.stdin_filename)
    return tuple({root_of(Path(os.path.abspath(path))): None for path in named or ["."]})


def _results(
    request: Request, discovery: Discovery, plan: Plan, given: dict[str, bytes]
) -> Iterator[Checked]:
    for name, data in given.items():
        yield plan.checker().data(data, name)
    paths = [Path(path) for path in request.paths or ["."] if path != STDIN]
    yield from check_files(list(discovery.files(paths)), plan, request.jobs)


def _gather(results: Iterator[Checked]) -> Outcome:
    found: list[Finding] = []
    files = suppressed = 0
    troubled = False
    for result in results:
        found.extend(result.findings)
        files += bool(result.filename)
        suppressed += result.suppressed
        if result.trouble:
            troubled = True
            click.echo(f"autograd-lint: {result.trouble}", err=True)
    return Outcome(unique(found), files, suppressed, troubled)


def _summaries() -> dict[str, str]:
    from autograd_lint.rules.registry import all_rules

    return {rule.code: rule.summary() for rule in all_rules()}


def _tell(request: Request, settings: Settings, discovery: Discovery, outcome: Outcome) -> None:
    """What is said besides the findings, on standard error."""
    if not outcome.files and not outcome.troubled and not request.quiet:
        click.echo("autograd-lint: no Python files found under the given paths", err=True)
    if request.verbose:
        click.echo(f"configuration: {settings.file or 'none'}", err=True)
        click.echo(
            f"files checked: {outcome.files}; left out by `exclude`: {discovery.excluded}", err=True
        )
        click.echo(f"findings silenced by comments: {outcome.suppressed}", err=True)

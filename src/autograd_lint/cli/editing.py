"""What `--fix`, `--diff` and `--add-noqa` do to files."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO

import click

from autograd_lint.checking.desk import Plan
from autograd_lint.cli.outcome import Outcome
from autograd_lint.fixes.applying import Fixed, apply
from autograd_lint.fixes.mending import applicable
from autograd_lint.fixes.writing import write


def fix(outcome: Outcome, plan: Plan, unsafe: bool) -> int:
    """Apply the fixes to the files; returns how many findings they mended."""
    count = 0
    for filename, fixed in _fixed(outcome, plan, unsafe):
        write(filename, fixed.data)
        count += fixed.count
    click.echo(f"autograd-lint: {_summed(outcome, count, unsafe)}", err=True)
    return count


def _summed(outcome: Outcome, count: int, unsafe: bool) -> str:
    """How many findings were fixed, as it follows from those that were told to be fixable."""
    offered = sum(applicable(finding, unsafe) for finding in outcome.findings)
    told = f"fixed {count} finding{'s' * (count != 1)}"
    if count > offered:
        told += f", {count - offered} of which came up when others were fixed"
    if more := _only_unsafe(outcome, unsafe):
        told += f"; `--unsafe-fixes` would fix {more}{' more' * (count > 0)}"
    return told


def fixed_text(outcome: Outcome, plan: Plan, unsafe: bool, filename: str) -> bytes | None:
    """The bytes of a file that is not on disk with its fixes; None where there are none."""
    return next((one.data for name, one in _fixed(outcome, plan, unsafe) if name == filename), None)


def diff(outcome: Outcome, plan: Plan, unsafe: bool, stream: TextIO) -> bool:
    """Write what the fixes would change; returns whether that is anything."""
    from difflib import unified_diff

    from autograd_lint.fixes.editing import Document
    from autograd_lint.report.text import portable

    changed = False
    for filename, fixed in _fixed(outcome, plan, unsafe):
        before = Document.of(outcome.texts.data(filename)).text.splitlines(keepends=True)
        after = Document.of(fixed.data).text.splitlines(keepends=True)
        name = portable(filename)
        for line in unified_diff(before, after, name, name):
            stream.write(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
        changed = True
    if more := _only_unsafe(outcome, unsafe):
        told = f"`--unsafe-fixes` would fix {more}{' more' * changed}"
        click.echo(f"autograd-lint: {told}", err=True)
    return changed


def _only_unsafe(outcome: Outcome, unsafe: bool) -> int:
    """How many findings only unsafe fixes would fix, where those are not asked for."""
    offered = sum(applicable(finding, unsafe) for finding in outcome.findings)
    return sum(applicable(finding, unsafe=True) for finding in outcome.findings) - offered


def silence(outcome: Outcome, reason: str) -> None:
    """Add a comment that silences each finding, with a reason if one is given."""
    from autograd_lint.fixes.silencing import add_comments

    count = 0
    for filename, found in outcome.by_file().items():
        data, added = add_comments(outcome.texts.data(filename), filename, found, reason)
        if added:
            write(filename, data)
        count += added
    click.echo(
        f"autograd-lint: silenced the findings of {count} line{'s' * (count != 1)}", err=True
    )


def _fixed(outcome: Outcome, plan: Plan, unsafe: bool) -> Iterator[tuple[str, Fixed]]:
    """The files that fixes change, with what they become."""
    for filename, found in outcome.by_file().items():
        if not any(applicable(finding, unsafe) for finding in found):
            continue
        data = outcome.texts.data(filename)
        checker = plan.desk().checker(Path(filename))
        fixed = apply(data, filename, found, partial(checker.again, filename), unsafe)
        if fixed.count:
            yield filename, fixed

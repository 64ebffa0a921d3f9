"""What `check` does: settings, files, findings, output, exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograd_lint.checking import shards
from autograd_lint.checking.checked import Checked, Comment, places_of, unique
from autograd_lint.checking.configured import governing, settings_for
from autograd_lint.checking.desk import Plan
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.request import Request, refuse
from autograd_lint.checking.workers import check_files
from autograd_lint.cli import known, output, progress
from autograd_lint.cli.outcome import Outcome, Texts
from autograd_lint.configuration.selection import UNUSED_SUPPRESSION
from autograd_lint.errors import Trouble, plain
from autograd_lint.project.cells import file_of
from autograd_lint.project.discovery import Discovery
from autograd_lint.project.roots import folder_of

if TYPE_CHECKING:  # A run that finds nothing imports no findings.
    from autograd_lint.checking.machinery import Machinery
    from autograd_lint.configuration.governing import Governing
    from autograd_lint.coverage import Coverage
    from autograd_lint.findings import Finding
    from autograd_lint.report.described import Described

STDIN = "-"

Tell = Callable[[str], None]
"""What is done with one line about a file that could not be checked."""


def run(request: Request, machinery: Callable[[], Machinery] = standard_machinery) -> int:
    """Check as `request` asks; returns the exit code. Raises Trouble for wrong usage."""
    refuse(request)
    output.parsed(request.output)
    if request.watch:
        from autograd_lint.cli.watching import watch

        return watch(_paths(request), lambda: run(replace(request, watch=False), machinery))
    settings = governing(request)
    if request.show_files or request.show_settings:
        return _show(request, settings)
    plan = Plan(settings, _named(request), machinery)
    given = _read_stdin(request)
    outcome = _check(request, plan, given)
    if request.writes and given:
        return _fix_stdin(request, outcome, plan, given)
    mended = request.writes and _fix(request, outcome, plan)
    if mended:
        outcome = _check(request, plan, given)
    if request.confirms:
        from autograd_lint.cli.confirming import confirm

        folder = request.save_witnesses
        device = request.device or "cpu"
        outcome = confirm(outcome, plan, device, folder, request.confirm_unconfined)
    if request.write_baseline:
        outcome = known.record(outcome, settings)
        _tell_recorded(request, outcome.known)
    if request.diff or request.add_noqa:
        return _edit(request, outcome, plan)
    output.write(request, outcome, _rules)
    _tell_left_out(request, outcome)
    _tell(request, outcome, settings)
    return _exit_code(request, outcome, settings)


def gathered(request: Request, tell: Tell) -> Outcome:
    """What a run as `request` asks finds; nothing is written. Raises Trouble for wrong usage."""
    plan = Plan(governing(request), _named(request))
    return _confirmed(request, plan, _check(request, plan, {}, tell))


def _confirmed(request: Request, plan: Plan, outcome: Outcome) -> Outcome:
    if not request.confirm:
        return outcome
    from autograd_lint.cli.confirming import confirm

    return confirm(outcome, plan, request.device or "cpu", request.save_witnesses)


def _exit_code(request: Request, outcome: Outcome, settings: Governing) -> int:
    """2 for trouble, 1 for findings that make the run fail, else 0."""
    if outcome.troubled:
        return 2
    if request.exit_zero:
        return 0
    return int(any(_fails(finding, settings) for finding in outcome.findings))


def _fails(finding: Finding, settings: Governing) -> bool:
    return settings.of(file_of(finding.place.filename)).fails(finding.certainty)


def _show(request: Request, settings: Governing) -> int:
    """List the files that would be checked, or the settings that hold; returns the exit code."""
    from autograd_lint.cli import showing

    discovery = Discovery(settings, request.force_exclude)
    if request.show_settings:
        return showing.settings(_paths(request), settings)
    return showing.files(discovery.files(_paths(request)))


def _paths(request: Request) -> list[Path]:
    return [Path(path) for path in request.paths or ["."] if path != STDIN]


def _fix_stdin(request: Request, outcome: Outcome, plan: Plan, given: dict[str, bytes]) -> int:
    """Write the text of standard input with its fixes to standard output, and what is left to find
    to standard error; returns the exit code."""
    from autograd_lint.cli import editing

    ((name, before),) = given.items()
    after = editing.fixed_text(outcome, plan, request.unsafe_fixes, name) or before
    sys.stdout.buffer.write(after)
    left = _check(request, plan, {name: after}) if after != before else outcome
    if left.findings or left.troubled:
        output.tell(request, left, sys.stderr)
    return _exit_code(request, left, plan.settings)


def _fix(request: Request, outcome: Outcome, plan: Plan) -> int:
    from autograd_lint.cli import editing

    return editing.fix(outcome, plan, request.unsafe_fixes)


def _edit(request: Request, outcome: Outcome, plan: Plan) -> int:
    """Show what fixes would change, or add comments; returns the exit code."""
    from autograd_lint.cli import editing

    if request.diff:
        changed = editing.diff(outcome, plan, request.unsafe_fixes, sys.stdout)
        return 2 if outcome.troubled else int(changed and not request.exit_zero)
    editing.silence(outcome, request.reason or "")
    return 2 if outcome.troubled else 0


def _tell_on_stderr(trouble: str) -> None:
    click.echo(f"autograd-lint: {plain(trouble)}", err=True)


def _check(
    request: Request, plan: Plan, given: dict[str, bytes], tell: Tell = _tell_on_stderr
) -> Outcome:
    discovery = Discovery(plan.settings, request.force_exclude)
    files = list(discovery.files(_paths(request)))
    results = _told(_results(request, files, plan, given), tell)
    outcome = _gather(results, Texts(given), files if request.shard else ())
    outcome = replace(outcome, excluded=discovery.excluded)
    return outcome if request.write_baseline else known.fresh(outcome, plan.settings)


def _read_stdin(request: Request) -> dict[str, bytes]:
    """The bytes of standard input under the name to call them by, if `-` was given."""
    if STDIN not in request.paths:
        return {}
    if request.add_noqa:
        raise Trouble("--add-noqa: standard input cannot be written to; name a file")
    if request.writes and len(request.paths) > 1:
        raise Trouble("--fix: give `-` alone; what is fixed is written to standard output")
    name = os.path.abspath(request.stdin_filename) if request.stdin_filename else "<stdin>"
    return {name: sys.stdin.buffer.read()}


def _named(request: Request) -> tuple[Path, ...]:
    """The folders that are named, and those from which named files are imported."""
    named = [path for path in request.paths if path != STDIN]
    if request.stdin_filename:
        named.append(request.stdin_filename)
    paths = (Path(os.path.abspath(path)) for path in named or ["."])
    return tuple({folder_of(path): None for path in paths})


def _results(
    request: Request, files: Sequence[Path | Trouble], plan: Plan, given: dict[str, bytes]
) -> Iterator[Checked]:
    for name, data in given.items():
        yield plan.desk().checker(Path(name)).data(data, name)
    for file in files:
        if isinstance(file, Path):
            plan.settings.of(str(file))  # what is wrong in them is told before anything is checked
    part = shards.parsed(request.shard).of(files) if request.shard else files
    elsewhere = frozenset(map(str, files)) - frozenset(map(str, part))
    folder = _cache_folder(request)
    checked = check_files(part, plan, request.jobs, folder, elsewhere, request.executor)
    yield from progress.shown(checked, len(part), request.quiet)


def _cache_folder(request: Request) -> Path | None:
    if request.no_cache:
        return None
    if request.cache_dir:
        return Path(request.cache_dir)
    return settings_for(request).root / ".autograd_lint_cache"


def _gather(
    results: Iterator[Checked], texts: Texts, others: Collection[Path | Trouble] = ()
) -> Outcome:
    """All results together; `others` are files that are checked elsewhere. Whether a comment is of
    no use is not known then."""
    checked = list(results)
    used = {comment for result in checked for comment in result.used}
    files = frozenset(result.filename for result in checked if result.filename)
    named = files | frozenset(map(str, others))
    found = (finding for result in checked for finding in result.findings)
    told = (
        one
        for one in found
        if _is_told(one, named) and not _is_used(one, used)
        if not (others and one.code == UNUSED_SUPPRESSION)
    )
    return Outcome(
        unique(told),
        files=files,
        texts=texts,
        suppressed=sum(result.suppressed for result in checked),
        troubled=any(result.trouble for result in checked),
        left_out={one.filename: one.left_out for one in checked if one.left_out},
        coverage=_coverage(checked),
    )


def _coverage(checked: list[Checked]) -> dict[str, Coverage]:
    """What was missed in each file, by its own runs and by those of all others."""
    found = {one.filename: one.coverage for one in checked if one.coverage is not None}
    reached = {row for one in found.values() for row in one.reached}
    return {
        name: replace(one, missed=tuple(m for m in one.missed if (name, m.row) not in reached))
        for name, one in sorted(found.items())
    }


def _is_told(finding: Finding, files: Collection[str]) -> bool:
    """Whether a finding has a place in a file that is checked."""
    return any(file_of(place.filename) in files for place in places_of(finding))


def _is_used(finding: Finding, used: set[Comment]) -> bool:
    """Whether it is about a comment that silences something which another file leads to."""
    place = finding.place
    is_comment = finding.code == UNUSED_SUPPRESSION
    return is_comment and (place.filename, place.row, place.column) in used


def _told(results: Iterator[Checked], tell: Tell) -> Iterator[Checked]:
    """The results; what could not be checked is told as it comes."""
    for result in results:
        if result.trouble:
            tell(result.trouble)
        yield result


def _rules() -> list[Described]:
    from autograd_lint.rules.pages import described

    return described()


def _tell_recorded(request: Request, count: int) -> None:
    if not request.quiet:
        told = f"recorded {count} finding{'s' * (count != 1)} in the baseline"
        click.echo(f"autograd-lint: {told}", err=True)


def _tell_left_out(request: Request, outcome: Outcome) -> None:
    """One line about what a budget left out."""
    if outcome.left_out and not request.quiet:
        from autograd_lint.report import left_out

        click.echo(f"autograd-lint: {plain(left_out.line(outcome.left_out))}", err=True)


def _tell(request: Request, outcome: Outcome, settings: Governing) -> None:
    """What is said besides the findings, on standard error."""
    if not outcome.files and not outcome.troubled and not request.quiet:
        excluded = f" ({outcome.excluded} left out by `exclude`)" if outcome.excluded else ""
        told = f"no Python files found under the given paths{excluded}"
        click.echo(f"autograd-lint: {told}", err=True)
    if request.verbose:
        used = {str(settings.of(name).file or "none") for name in outcome.files}
        click.echo(f"configuration: {', '.join(sorted(used)) or 'none'}", err=True)
        files = f"files checked: {len(outcome.files)}; left out by `exclude`: {outcome.excluded}"
        click.echo(files, err=True)
        click.echo(f"findings silenced by comments: {outcome.suppressed}", err=True)
        click.echo(f"findings refuted by the real engine: {outcome.refuted}", err=True)
        click.echo(f"findings known to the baseline: {outcome.known}", err=True)

"""The settings of one run: the configuration file, and the command line over it."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from autograd_lint import config
from autograd_lint.cli.request import Request
from autograd_lint.config import PerFileIgnore, Settings
from autograd_lint.errors import Trouble
from autograd_lint.levels import Certainty
from autograd_lint.selection import Selection, require_known


def settings_for(request: Request) -> Settings:
    """The settings of `request`; raises Trouble for what is wrong in the file or the options."""
    settings = _from_file(request)
    settings = replace(
        settings,
        selection=_selection(request, settings.selection),
        per_file_ignores=(*settings.per_file_ignores, *_per_file(request.per_file_ignores)),
        certainty=Certainty(request.certainty) if request.certainty else settings.certainty,
        target_torch=request.target_torch or settings.target_torch,
        baseline=_baseline(request, settings),
    )
    if settings.target_torch is not None:
        _require_measured(settings.target_torch)
    if settings.selectors:
        where = str(settings.file) if settings.file else "command line"
        require_known(_given(request), known_rules(), "command line")
        require_known(settings.selectors, known_rules(), where)
    return settings


def known_rules() -> dict[str, str]:
    """The names of all rules, by code."""
    from autograd_lint.rules.registry import all_rules

    return {rule.code: rule.name for rule in all_rules()}


def _from_file(request: Request) -> Settings:
    if request.config is not None:
        path = Path(os.path.abspath(request.config))
        if not path.is_file():
            raise Trouble(f"--config {request.config}: no such file; check the path")
        return config.load(path)
    found = None if request.isolated else config.find(_start(request))
    return config.load(found) if found else Settings()


def _start(request: Request) -> Path:
    """The directory to search upward from: that of the first path."""
    first = request.paths[0] if request.paths else "."
    if first == "-":
        first = request.stdin_filename or "."
    path = Path(os.path.abspath(first))
    return path if path.is_dir() else path.parent


def _selection(request: Request, configured: Selection) -> Selection:
    extended = tuple(_codes(request.extend_select))
    ignored = tuple(_codes(request.ignore))
    if request.select:
        return Selection(tuple(_codes(request.select)), ignored, extended)
    return Selection(
        configured.select,
        (*configured.ignore, *ignored),
        (*configured.extend_select, *extended),
    )


def _codes(options: Iterable[str]) -> Iterator[str]:
    for option in options:
        yield from (code.strip() for code in option.split(",") if code.strip())


def _baseline(request: Request, configured: Settings) -> str | None:
    """The path of the baseline: the configured one is relative to its configuration file."""
    if request.baseline:
        return os.path.abspath(request.baseline)
    if configured.baseline:
        return str(configured.root / configured.baseline)
    if request.write_baseline:
        raise Trouble("--write-baseline: name the file to write with --baseline")
    return None


def _per_file(options: Iterable[str]) -> Iterator[PerFileIgnore]:
    for option in options:
        pattern, colon, codes = option.rpartition(":")
        if not colon:
            raise Trouble(f"--per-file-ignores {option}: write PATTERN:CODES, as tests/*:AG103")
        yield PerFileIgnore(pattern, tuple(_codes([codes])), Path.cwd())


def _given(request: Request) -> Iterator[str]:
    yield from _codes((*request.select, *request.ignore, *request.extend_select))
    for one in _per_file(request.per_file_ignores):
        yield from one.codes


def _require_measured(version: str) -> None:
    from autograd_lint.operators import table

    try:
        config.torch_version(version)
    except ValueError as error:
        raise Trouble(f"--target-torch {error}") from None
    measured = ".".join(table.load().torch_version.split(".")[:2])
    if version != measured:
        raise Trouble(
            f"target torch {version} is not available in this version yet: operators were measured "
            f"on torch {measured}; leave it out"
        )

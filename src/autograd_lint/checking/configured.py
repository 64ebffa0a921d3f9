"""The settings of one run: configuration files, and the command line over them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograd_lint.checking.request import Request
from autograd_lint.configuration import config
from autograd_lint.configuration.globs import with_slashes
from autograd_lint.configuration.governing import Governing, Nearest
from autograd_lint.configuration.selection import require_known
from autograd_lint.configuration.settings import Baseline, Exclude, Layer, PerFileIgnore, Settings
from autograd_lint.errors import Trouble
from autograd_lint.levels import Certainty


def settings_for(request: Request) -> Settings:
    """The settings of the first path; raises Trouble for what is wrong in the configuration file
    or the options."""
    return governing(request).of(os.path.join(_start(request), "*"))


def governing(request: Request) -> Governing:
    """The settings of every file; raises Trouble for what is wrong in the options."""
    layer = _layer(request)
    if layer.selectors:
        require_known(layer.selectors, known_rules(), "command line")
    if request.config is None and not request.isolated:
        found = Nearest(layer, check)
        _require_baseline(request, found.of_folder(_start(request)))
        return found
    settings = (_named(request.config) if request.config else Settings()).under(layer)
    check(settings)
    _require_baseline(request, settings)
    return settings


def check(settings: Settings) -> None:
    """Raise Trouble for what cannot be: rules that there are not, a version of torch that was not
    measured."""
    if settings.target_torch is not None:
        require_measured(settings.target_torch)
    if settings.facts:
        from autograd_lint.observed.documents import read

        for path in settings.facts:
            read(path, "facts:")
    selectors = (*settings.selection.selectors, *settings.selectors_of_files)
    if selectors:
        require_known(selectors, known_rules(), str(settings.file or "command line"))


def known_rules() -> dict[str, str]:
    """The names of all rules, by code."""
    from autograd_lint.rules.registry import all_rules

    return {rule.code: rule.name for rule in all_rules()}


def _named(name: str) -> Settings:
    path = Path(os.path.abspath(name))
    if not path.is_file():
        raise Trouble(f"--config {name}: no such file; check the path")
    return config.load(path)


def _start(request: Request) -> Path:
    """The directory to search upward from: that of the first path."""
    first = request.paths[0] if request.paths else "."
    if first == "-":
        first = request.stdin_filename or "."
    path = Path(os.path.abspath(first))
    return path if path.is_dir() else path.parent


def _layer(request: Request) -> Layer:
    """What the command line asks for."""
    here = Path.cwd()
    return Layer(
        select=tuple(_codes(request.select)) or None,
        ignore=tuple(_codes((*request.ignore, *request.extend_ignore))),
        extend_select=tuple(_codes(request.extend_select)),
        per_file_ignores=tuple(_per_file(request.per_file_ignores)),
        extend_exclude=tuple(Exclude(one, here) for one in _excluded(request.exclude)),
        certainty=Certainty(request.certainty) if request.certainty else None,
        fail_on=request.fail_on,
        preview=True if request.preview else None,
        code_blocks=True if request.code_blocks else None,
        coverage=request.coverage,
        facts=tuple(Path(os.path.abspath(file)) for file in request.facts),
        target_torch=request.target_torch,
        baseline=_baseline(request),
    )


def _codes(options: Iterable[str]) -> Iterator[str]:
    for option in options:
        yield from (code.strip() for code in option.split(",") if code.strip())


def _excluded(options: Iterable[str]) -> Iterator[str]:
    for pattern in _codes(options):
        yield _pattern("--exclude", pattern)


def _pattern(option: str, pattern: str) -> str:
    try:
        return with_slashes(pattern)
    except ValueError as error:
        raise Trouble(f"{option} {error}") from None


def _baseline(request: Request) -> Baseline | None:
    if not request.baseline:
        return None
    found = None if request.isolated else config.find(_start(request))
    return Baseline(Path(os.path.abspath(request.baseline)), found.parent if found else Path.cwd())


def _require_baseline(request: Request, settings: Settings) -> None:
    if request.write_baseline and settings.baseline is None:
        raise Trouble("--write-baseline: name the file to write with --baseline")


def _per_file(options: Iterable[str]) -> Iterator[PerFileIgnore]:
    for option in options:
        pattern, colon, codes = option.rpartition(":")
        if not colon:
            raise Trouble(f"--per-file-ignores {option}: write PATTERN:CODES, as tests/*:AG103")
        pattern = _pattern("--per-file-ignores", pattern)
        yield PerFileIgnore(pattern, tuple(_codes([codes])), Path.cwd())


def require_measured(version: str) -> None:
    """Raise Trouble for a version of torch that operators were not measured on."""
    from autograd_lint.operators import table

    try:
        config.torch_version(version)
    except ValueError as error:
        raise Trouble(f"--target-torch {error}") from None
    measured = table.versions()
    if version not in measured:
        raise Trouble(
            f"target torch {version} is not known: operators were measured on torch "
            f"{', '.join(measured)}; name one of these, or leave it out"
        )

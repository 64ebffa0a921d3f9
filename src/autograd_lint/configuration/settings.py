"""Settings: everything that decides what is checked and shown, and how one source of them lies
over another: a configuration file over the one it extends, the command line over both."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.configuration import globs
from autograd_lint.configuration.selection import Selection, specificity
from autograd_lint.errors import Trouble
from autograd_lint.immutable import immutable
from autograd_lint.levels import Certainty, Severity

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@immutable
class PerFileIgnore:
    """The rules not wanted in the files that a .gitignore pattern, relative to `root`, matches."""

    pattern: str
    codes: tuple[str, ...]
    root: Path


@immutable
class Exclude:
    """The files that a .gitignore pattern, relative to `root`, leaves out."""

    pattern: str
    root: Path


@immutable
class Baseline:
    """The file of findings that are known already; it names files relative to `root`."""

    path: Path
    root: Path


@dataclass(frozen=True)
class Layer:
    """What one source of settings asks for; None where it asks for nothing.

    `select` replaces what lies below in the choice of rules, the other lists add to it; `exclude`
    replaces the patterns below, `extend_exclude` adds to them.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()
    exclude: tuple[Exclude, ...] | None = None
    extend_exclude: tuple[Exclude, ...] = ()
    certainty: Certainty | None = None
    fail_on: str | None = None
    preview: bool | None = None
    code_blocks: bool | None = None
    coverage: bool = False
    models: tuple[Path, ...] = ()
    facts: tuple[Path, ...] = ()
    target_torch: str | None = None
    baseline: Baseline | None = None

    @property
    def selectors(self) -> tuple[str, ...]:
        """Every code, prefix or name in it."""
        per_file = [code for one in self.per_file_ignores for code in one.codes]
        severe = [code for code, _ in self.severities]
        return (*(self.select or ()), *self.ignore, *self.extend_select, *per_file, *severe)


@dataclass(frozen=True)
class Settings:
    """Everything that decides what is checked and shown.

    `root` is the directory of the configuration, `file` the configuration that was read.
    `severities` are those of rules by selector, where they are not the rule's own. `fail_on` is the
    least certain finding that makes a run fail, `never` for none, None for all that are shown.
    `code_blocks`: Markdown files, and the examples in docstrings, are checked as well.
    `models` are the folders with models of libraries, `facts` the files with what runs have seen.
    `coverage`: what no run has reached is kept.
    `heeds_comments` says that comments in the sources silence findings.
    """

    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None
    selection: Selection = field(default_factory=Selection)
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()
    exclude: tuple[Exclude, ...] = ()
    certainty: Certainty = Certainty.LIKELY
    fail_on: str | None = None
    preview: bool = False
    code_blocks: bool = False
    models: tuple[Path, ...] = ()
    facts: tuple[Path, ...] = ()
    target_torch: str | None = None
    baseline: Baseline | None = None
    coverage: bool = False
    heeds_comments: bool = True

    def of(self, filename: str) -> "Settings":
        """The settings of a file, where these hold for all."""
        return self

    def sources(self, filename: str) -> tuple[str, ...]:
        """The configuration files that decide the settings of a file, there or not: none."""
        return ()

    def under(self, layer: Layer) -> "Settings":
        """These settings with what a source that lies over them asks for."""
        below = self.selection
        selection = Selection(layer.select or (), layer.ignore, layer.extend_select)
        if layer.select is None:
            selection = Selection(
                below.select,
                (*below.ignore, *layer.ignore),
                (*below.extend_select, *layer.extend_select),
            )
        exclude = self.exclude if layer.exclude is None else layer.exclude
        return replace(
            self,
            selection=selection,
            per_file_ignores=(*self.per_file_ignores, *layer.per_file_ignores),
            severities=(*self.severities, *layer.severities),
            exclude=(*exclude, *layer.extend_exclude),
            certainty=layer.certainty or self.certainty,
            fail_on=layer.fail_on or self.fail_on,
            preview=self.preview if layer.preview is None else layer.preview,
            code_blocks=self.code_blocks if layer.code_blocks is None else layer.code_blocks,
            coverage=self.coverage or layer.coverage,
            models=(*layer.models, *self.models),
            facts=(*layer.facts, *self.facts),
            target_torch=layer.target_torch or self.target_torch,
            baseline=layer.baseline or self.baseline,
        )

    @property
    def selectors_of_files(self) -> Iterator[str]:
        """The codes, prefixes and names besides those of the selection."""
        for one in self.per_file_ignores:
            yield from one.codes
        for code, _ in self.severities:
            yield code

    def ignored_in(self, filename: str) -> tuple[str, ...]:
        """The selectors that `per-file-ignores` silences in a file."""
        codes: list[str] = []
        for one in self.per_file_ignores:
            if matches(patterns((one.pattern,)), one.root, filename):
                codes.extend(one.codes)
        return tuple(codes)

    def severity(self, code: str, name: str, own: Severity) -> Severity:
        """How bad the findings of a rule are: as the closest selector says, of two the last."""
        closest, found = 1, own
        for selector, severity in self.severities:
            close = specificity(selector, code, name)
            if close >= closest:
                closest, found = close, severity
        return found

    def excludes(self, path: str) -> bool:
        """Whether a file is left out, or a folder, whose path ends in a slash."""
        verdict = False
        for root, group in groupby(self.exclude, key=lambda one: one.root):
            relative = _relative(path, root)
            if relative is None or relative.startswith(".."):
                continue
            slash = "/" if path.endswith("/") else ""  # `relpath` hides that it is a folder
            spec = patterns(tuple(one.pattern for one in group))
            found = spec.check_file(relative + slash).include
            verdict = verdict if found is None else found
        return verdict

    def fails(self, certainty: Certainty) -> bool:
        """Whether a finding that is so certain makes a run fail."""
        if self.fail_on is None:
            return True
        return self.fail_on != NEVER and certainty.at_least(Certainty(self.fail_on))

    def shown(self) -> Iterator[tuple[str, object]]:
        """The keys of a configuration file that would say the same, with their values."""
        yield "select", list(self.selection.select)
        yield "ignore", list(self.selection.ignore)
        yield "extend-select", list(self.selection.extend_select)
        yield "exclude", [one.pattern for one in self.exclude]
        yield "certainty", self.certainty.value
        yield "fail-on", self.fail_on
        yield "preview", self.preview
        yield "code-blocks", self.code_blocks
        yield "models", [str(folder) for folder in self.models]
        yield "facts", [str(file) for file in self.facts]
        yield "target-torch", self.target_torch
        yield "baseline", str(self.baseline.path) if self.baseline else None
        yield "severity", {code: severity.value for code, severity in self.severities}
        yield "per-file-ignores", {one.pattern: list(one.codes) for one in self.per_file_ignores}


NEVER = "never"
"""The value of `fail-on` with which no finding makes a run fail."""


def _relative(path: str, root: Path) -> str | None:
    """A path seen from a folder; None where no way leads there: another drive of Windows."""
    try:
        return os.path.relpath(path, root)
    except ValueError:
        return None


@cache
def patterns(lines: tuple[str, ...]) -> "GitIgnoreSpec":
    """The .gitignore patterns `lines`, compiled; raises Trouble for one that makes no sense."""
    try:
        return globs.compiled(lines)
    except ValueError as error:
        raise Trouble(f"pattern {', '.join(lines)!r} cannot be read: {error}") from error


def matches(spec: "GitIgnoreSpec", root: Path, filename: str) -> bool:
    """Whether `spec`, relative to `root`, matches a file; nothing outside of `root` is matched."""
    try:
        relative = Path(filename).relative_to(root)
    except ValueError:
        return False
    return spec.match_file(relative.as_posix())

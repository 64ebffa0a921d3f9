"""Settings: what `autograd-lint.toml`, `[tool.autograd-lint]` and the command line ask for.

The configuration file is the nearest one upward from the directory of the first path: in each
directory `autograd-lint.toml` comes first, then a `pyproject.toml` with a `[tool.autograd-lint]`
table. Patterns in it are those of .gitignore, relative to its directory.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograd_lint.errors import Trouble
from autograd_lint.levels import Certainty
from autograd_lint.selection import Selection

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OWN_FILE = "autograd-lint.toml"
TABLE = "autograd-lint"


@dataclass(frozen=True, slots=True)
class PerFileIgnore:
    """The rules not wanted in the files that a .gitignore pattern, relative to `root`, matches."""

    pattern: str
    codes: tuple[str, ...]
    root: Path


@dataclass(frozen=True)
class Settings:
    """Everything that decides what is checked and shown.

    `root` is the directory that patterns are relative to, `file` the configuration that was read.
    `heeds_comments` says that comments in the sources silence findings.
    """

    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None
    selection: Selection = field(default_factory=Selection)
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    exclude: tuple[str, ...] = ()
    certainty: Certainty = Certainty.LIKELY
    target_torch: str | None = None
    baseline: str | None = None
    heeds_comments: bool = True

    @property
    def selectors(self) -> tuple[str, ...]:
        """Every code, prefix or name that was given anywhere."""
        per_file = [code for one in self.per_file_ignores for code in one.codes]
        return (*self.selection.selectors, *per_file)

    def ignored_in(self, filename: str) -> tuple[str, ...]:
        """The selectors that `per-file-ignores` silences in a file."""
        codes: list[str] = []
        for one in self.per_file_ignores:
            if matches(patterns((one.pattern,)), one.root, filename):
                codes.extend(one.codes)
        return tuple(codes)


def patterns(lines: tuple[str, ...]) -> "GitIgnoreSpec":
    """The .gitignore patterns `lines`, compiled; raises Trouble for one that makes no sense."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise Trouble(f"pattern {', '.join(lines)!r} cannot be read: {error}") from error


def matches(spec: "GitIgnoreSpec", root: Path, filename: str) -> bool:
    """Whether `spec`, relative to `root`, matches a file; nothing outside of `root` is matched."""
    try:
        relative = Path(filename).relative_to(root)
    except ValueError:
        return False
    return spec.match_file(relative.as_posix())


def find(start: Path) -> Path | None:
    """The nearest configuration file upward from the directory `start`."""
    for directory in (start, *start.parents):
        own = directory / OWN_FILE
        if own.is_file():
            return own
        project = directory / "pyproject.toml"
        if project.is_file() and TABLE in _parse(project).get("tool", {}):
            return project
    return None


def load(path: Path) -> Settings:
    """The settings of a configuration file; raises Trouble for what is wrong in it."""
    document = _parse(path)
    table = document.get("tool", {}).get(TABLE, {}) if path.name == "pyproject.toml" else document
    if not isinstance(table, dict):
        raise Trouble(f"{path}: `tool.{TABLE}` must be a table")
    values = {}
    for key, value in table.items():
        if key not in _READERS:
            raise Trouble(f"{path}: unknown key `{key}`; {_known_keys(key)}")
        try:
            values[key] = _READERS[key](value)
        except ValueError as error:
            raise Trouble(f"{path}: `{key}` {error}") from None
    return _settings(path, values)


def _settings(path: Path, values: dict[str, Any]) -> Settings:
    selection = Selection(
        values.get("select", ()), values.get("ignore", ()), values.get("extend-select", ())
    )
    return Settings(
        root=path.parent,
        file=path,
        selection=selection,
        per_file_ignores=tuple(
            PerFileIgnore(pattern, codes, path.parent)
            for pattern, codes in values.get("per-file-ignores", ())
        ),
        exclude=values.get("exclude", ()),
        certainty=values.get("certainty", Certainty.LIKELY),
        target_torch=values.get("target-torch"),
        baseline=values.get("baseline"),
    )


def _parse(path: Path) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Trouble(
            f"{path}: cannot be read as TOML ({reason}); mend it or use --isolated"
        ) from None


def _known_keys(key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key, _READERS, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(sorted(_READERS))}"


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError('must be a list of strings, as ["AG103"]')
    return tuple(value)


def _per_file(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ValueError('must be a table of lists, as {"tests/*" = ["AG103"]}')
    return tuple((pattern, _strings(codes)) for pattern, codes in value.items())


def _certainty(value: object) -> Certainty:
    if value not in (names := [one.value for one in Certainty]):
        raise ValueError(f"must be one of {', '.join(names)}")
    return Certainty(value)


def torch_version(value: object) -> str:
    """`value` as a version of torch, X.Y; raises ValueError for anything else."""
    if not isinstance(value, str) or not re.fullmatch(r"\d+\.\d+", value):
        raise ValueError('must be a version like "2.13"')
    return value


_READERS: dict[str, Callable[[object], object]] = {
    "select": _strings,
    "ignore": _strings,
    "extend-select": _strings,
    "per-file-ignores": _per_file,
    "exclude": _strings,
    "certainty": _certainty,
    "target-torch": torch_version,
    "baseline": _string,
}
KEYS = tuple(_READERS)
"""The keys of a configuration file."""

"""Configuration files: `autograd-lint.toml`, and `[tool.autograd-lint]` in `pyproject.toml`.

The nearest one upward from a file governs it: in each directory `autograd-lint.toml` comes first,
then a `pyproject.toml` with a `[tool.autograd-lint]` table. Patterns in it are those of .gitignore,
relative to its directory. A file may `extend` another one.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograd_lint import disk
from autograd_lint.configuration.globs import with_slashes
from autograd_lint.configuration.settings import (
    NEVER,
    Baseline,
    Exclude,
    Layer,
    PerFileIgnore,
    Settings,
)
from autograd_lint.errors import Trouble
from autograd_lint.levels import Certainty, Severity

OWN_FILE = "autograd-lint.toml"
PROJECT_FILE = "pyproject.toml"
NAMES = (OWN_FILE, PROJECT_FILE)
"""The names of configuration files."""
TABLE = "autograd-lint"
_MARK = "\ufeff"  # the byte order mark that editors on Windows put before a text


def find(start: Path) -> Path | None:
    """The nearest configuration file upward from the directory `start`."""
    return next(filter(None, map(of_folder, (start, *start.parents))), None)


def of_folder(folder: Path) -> Path | None:
    """The configuration file in a folder itself."""
    own = folder / OWN_FILE
    if own.is_file():
        return own
    project = folder / PROJECT_FILE
    if project.is_file() and TABLE in _tools(project, _parse(project)):
        return project
    return None


def load(path: Path) -> Settings:
    """The settings of a configuration file, over those of the file that it extends; raises Trouble
    for what is wrong in them."""
    settings = Settings(root=path.parent, file=path)
    for one in reversed(chain(path)):
        settings = settings.under(_layer(one, _read(one)))
    return settings


def chain(path: Path) -> list[Path]:
    """A configuration file, the one that it extends, and so on; raises Trouble for a circle."""
    found = [path]
    while (base := _read(found[-1]).get("extend")) is not None:
        following = Path(os.path.abspath(found[-1].parent / base))
        if not following.is_file():
            raise Trouble(f"{found[-1]}: `extend` names {following}, which is not a file")
        if following in found:
            raise Trouble(f"{path}: `extend` leads back to {following}; take one of them out")
        found.append(following)
    return found


def _read(path: Path) -> dict[str, Any]:
    """The values of a configuration file, by key."""
    document = _parse(path)
    table = document
    if path.name == PROJECT_FILE:
        table = _tools(path, document).get(TABLE, {})
    if not isinstance(table, dict):
        raise Trouble(f"{path}: `tool.{TABLE}` must be a table")
    values = {}
    for key, value in table.items():
        if key not in KEYS:
            raise Trouble(f"{path}: unknown key `{key}`; {_known_keys(key)}")
        try:
            values[key] = KEYS[key].read(value)
        except ValueError as error:
            raise Trouble(f"{path}: `{key}` {error}") from None
    return values


def _tools(path: Path, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables of all tools in a `pyproject.toml`."""
    tools = document.get("tool", {})
    if not isinstance(tools, dict):
        raise Trouble(f"{path}: `tool` must be a table; fix it or use --isolated")
    return tools


def _layer(path: Path, values: Mapping[str, Any]) -> Layer:
    root = path.parent
    models = tuple(root / folder for folder in values.get("models", ()))
    for folder in models:
        if not folder.is_dir():
            raise Trouble(f"{path}: `models` names {folder}, which is not a folder")
    baseline = values.get("baseline")
    exclude = values.get("exclude")
    return Layer(
        select=values.get("select"),
        ignore=values.get("ignore", ()),
        extend_select=values.get("extend-select", ()),
        per_file_ignores=tuple(
            PerFileIgnore(pattern, codes, root)
            for pattern, codes in values.get("per-file-ignores", ())
        ),
        severities=values.get("severity", ()),
        exclude=None if exclude is None else tuple(_excludes(exclude, root)),
        extend_exclude=tuple(_excludes(values.get("extend-exclude", ()), root)),
        certainty=values.get("certainty"),
        fail_on=values.get("fail-on"),
        preview=values.get("preview"),
        code_blocks=values.get("code-blocks"),
        models=models,
        facts=tuple(root / file for file in values.get("facts", ())),
        target_torch=values.get("target-torch"),
        baseline=Baseline(root / baseline, root) if baseline else None,
    )


def _excludes(patterns: tuple[str, ...], root: Path) -> Iterator[Exclude]:
    return (Exclude(pattern, root) for pattern in patterns)


def _parse(path: Path) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(disk.read_text(path).removeprefix(_MARK))
    except RecursionError:
        reason: object = "it is nested too deeply"
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
    raise Trouble(f"{path}: cannot be read as TOML ({reason}); fix it or use --isolated")


def _known_keys(key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key, KEYS, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(sorted(KEYS))}"


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
    return tuple((with_slashes(pattern), _strings(codes)) for pattern, codes in value.items())


def _patterns(value: object) -> tuple[str, ...]:
    return tuple(map(with_slashes, _strings(value)))


def _one_of(*names: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return str(value)

    return read


def _certainty(value: object) -> Certainty:
    return Certainty(_one_of(*CERTAINTIES)(value))


def _severities(value: object) -> tuple[tuple[str, Severity], ...]:
    if not isinstance(value, dict):
        raise ValueError('must be a table, as {"AG304" = "warning"}')
    read = _one_of(*SEVERITIES)
    return tuple((code, Severity(read(severity))) for code, severity in value.items())


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def torch_version(value: object) -> str:
    """`value` as a version of torch, X.Y; raises ValueError for anything else."""
    if not isinstance(value, str) or not re.fullmatch(r"\d+\.\d+", value):
        raise ValueError('must be a version like "2.13"')
    return value


@dataclass(frozen=True)
class Key:
    """A key of a configuration file: what makes its value of what TOML says (ValueError for what is
    wrong), what it means, and its JSON schema."""

    read: Callable[[object], object]
    meaning: str
    schema: Mapping[str, object]


CERTAINTIES = tuple(one.value for one in Certainty)
SEVERITIES = tuple(one.value for one in Severity)
_TEXT: Mapping[str, object] = {"type": "string"}
_LIST: Mapping[str, object] = {"type": "array", "items": _TEXT}

KEYS: dict[str, Key] = {
    "extend": Key(_string, "a configuration file to inherit from, relative to this one", _TEXT),
    "select": Key(
        _strings,
        "the rules to check: codes, prefixes, names or ALL; empty for the defaults",
        _LIST,
    ),
    "ignore": Key(_strings, "rules not to check", _LIST),
    "extend-select": Key(_strings, "rules to check in addition", _LIST),
    "per-file-ignores": Key(
        _per_file,
        "rules not to check in some files, by patterns as in .gitignore",
        {"type": "object", "additionalProperties": _LIST},
    ),
    "severity": Key(
        _severities,
        "severities of rules, where they differ from the default",
        {"type": "object", "additionalProperties": {"enum": SEVERITIES}},
    ),
    "certainty": Key(_certainty, "the lowest certainty to show", {"enum": CERTAINTIES}),
    "fail-on": Key(
        _one_of(*CERTAINTIES, NEVER),
        "the lowest certainty that makes the exit code 1; by default any shown finding does",
        {"enum": (*CERTAINTIES, NEVER)},
    ),
    "preview": Key(_boolean, "also check preview rules", {"type": "boolean"}),
    "code-blocks": Key(
        _boolean,
        "also check Python code blocks in Markdown files and docstrings",
        {"type": "boolean"},
    ),
    "exclude": Key(
        _patterns,
        "files and folders to exclude: patterns as in .gitignore, relative to this file",
        _LIST,
    ),
    "extend-exclude": Key(
        _patterns,
        "files and folders to exclude in addition to those of the extended file",
        _LIST,
    ),
    "baseline": Key(_string, "the baseline file, relative to this file", _TEXT),
    "models": Key(_strings, "folders with models of libraries, relative to this file", _LIST),
    "facts": Key(
        _strings, "files with facts of runs (`trace --record`), relative to this file", _LIST
    ),
    "target-torch": Key(
        torch_version,
        "the version of torch that the code is written for; by default what the project pins or "
        "has installed",
        {"type": "string", "pattern": r"^\d+\.\d+$"},
    ),
}
"""The keys of a configuration file."""

"""Which torch a project is written for, as its files tell: what they lock, pin or limit, and what
is installed beside them. Files are read, nothing is imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from autograd_lint import disk
from autograd_lint.configuration.specifiers import Minor, Newest, minor, newest

_WORD = "torch"
_LARGEST = 8 << 20  # bytes of a file: locks are long
_MOST_FILES = 20  # of one folder


@dataclass(frozen=True)
class Pin:
    """The newest torch that the files of a project allow, and the file that says so."""

    version: Minor
    file: Path


def pinned(folders: Iterable[Path]) -> Pin | None:
    """What the first of some folders that tells of torch says; None where none limits it.

    What is locked or pinned comes before what is installed, and that before a mere limit.
    """
    return next(filter(None, map(_of_folder, folders)), None)


def _of_folder(folder: Path) -> Pin | None:
    found = list(_told(folder))
    exact = next((pin for pin, is_exact in found if is_exact), None)
    limited = next((pin for pin, _ in found), None)
    return exact or _installed(folder) or limited


def _told(folder: Path) -> Iterator[tuple[Pin, bool]]:
    """What each file says of torch, locks first, and whether it allows one version alone."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    wanted = [
        (name, read) for pattern, read in _READERS for name in names if fnmatch(name, pattern)
    ]
    for name, read in wanted[:_MOST_FILES]:
        limit = _of_file(folder / name, read)
        if limit is not None:
            yield Pin(limit.version, folder / name), limit.exact


def _of_file(path: Path, read: Callable[[str], Iterable[Newest | None]]) -> Newest | None:
    """The newest torch that a file allows in any of its requirements; None where one of them sets
    no limit."""
    try:
        text = disk.read_text(path) if path.stat().st_size <= _LARGEST else ""
    except (OSError, UnicodeDecodeError):
        return None
    limits = list(read(text)) if _WORD in text else []
    known = [limit for limit in limits if limit is not None]
    return max(known) if known and len(known) == len(limits) else None


def _installed(folder: Path) -> Pin | None:
    """The torch that is installed in a virtual environment of a folder."""
    for environment in (".venv", "venv"):
        for inside in ("lib/python3*/site-packages", "Lib/site-packages"):
            for info in (folder / environment).glob(f"{inside}/torch-*.dist-info"):
                version = minor(info.name.removeprefix("torch-"))
                if version is not None:
                    return Pin(version, info)
    return None


def _locked(text: str) -> Iterator[Newest | None]:
    """`uv.lock`, `poetry.lock`, `pdm.lock` and `pylock.toml`."""
    for version in re.findall(r'^name = "torch"\s*^version = "([^"]+)"', text, re.MULTILINE):
        yield _exactly(version)


def _locked_by_pipenv(text: str) -> Iterator[Newest | None]:
    for version in re.findall(r'"torch": \{[^{}]*"version": "([^"]+)"', text):
        yield _exactly(version)


def _locked_by_conda(text: str) -> Iterator[Newest | None]:
    for version in re.findall(r"^-? *name: (?:py)?torch\s*^ *version: (\S+)", text, re.MULTILINE):
        yield _exactly(version)


def _exactly(version: str) -> Newest | None:
    found = minor(version)
    return Newest(found, exact=True) if found else None


_REQUIREMENT = re.compile(r"(?:py)?torch(?![\w.-]) *(?:\[[^\]]*\])? *\(?([^;#)\"']*)")
_WHEEL = re.compile(r"@.*/torch-(\d+\.\d+)")


def _required(requirement: str) -> Iterator[Newest | None]:
    """What a requirement says, if it is one of torch: `torch==2.4; python_version < '3.12'`."""
    found = _REQUIREMENT.match(requirement.strip())
    if found is not None:
        wheel = _WHEEL.search(requirement)
        yield _exactly(wheel[1]) if wheel else newest(found[1])


def _requirements(text: str) -> Iterator[Newest | None]:
    """A file of requirements of pip, and `setup.cfg`."""
    for line in text.splitlines():
        yield from _required(re.sub(r"^\w+ *= *(?=torch)", "", line))


def _quoted(text: str) -> Iterator[Newest | None]:
    """The strings of a `setup.py`."""
    for requirement in re.findall(r"""["'](torch *[=<>~!][^"'\n]*)["']""", text):
        yield from _required(requirement)


def _environment(text: str) -> Iterator[Newest | None]:
    """An `environment.yml` of conda."""
    for line in re.findall(r"^\s*-\s*[\"']?(?:[\w-]+::)?((?:py)?torch\b.*)", text, re.MULTILINE):
        yield from _required(line)


def _project(text: str) -> Iterator[Newest | None]:
    """The dependencies, extras and groups in a `pyproject.toml`, Poetry's too."""
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    with suppress(tomllib.TOMLDecodeError, RecursionError):
        document = tomllib.loads(text)
        for place in _LISTS:
            yield from _listed(_value_at(document, place))
        for place in _TABLES:
            yield from _tabled(_value_at(document, place))


_LISTS = (
    ("project", "dependencies"),
    ("project", "optional-dependencies"),
    ("dependency-groups",),
    ("tool", "uv", "dev-dependencies"),
    ("tool", "uv", "constraint-dependencies"),
    ("tool", "uv", "override-dependencies"),
    ("tool", "pdm", "dev-dependencies"),
)
_TABLES = (
    ("tool", "poetry", "dependencies"),
    ("tool", "poetry", "dev-dependencies"),
    ("tool", "poetry", "group"),
)
_DEEPEST = 4  # `group.NAME.dependencies.torch`


def _value_at(document: object, place: tuple[str, ...]) -> object:
    for key in place:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def _listed(value: object) -> Iterator[Newest | None]:
    """The requirements in a list, or in a table of lists."""
    lists = value.values() if isinstance(value, Mapping) else [value]
    for one in lists:
        for requirement in one if isinstance(one, list) else ():
            yield from _required(requirement) if isinstance(requirement, str) else ()


def _tabled(value: object, depth: int = 0) -> Iterator[Newest | None]:
    """What Poetry's tables say of torch: a version, a table with one, or several of these."""
    for key, one in value.items() if isinstance(value, Mapping) and depth < _DEEPEST else ():
        if key != _WORD:
            yield from _tabled(one, depth + 1)
            continue
        for said in one if isinstance(one, list) else [one]:
            version = said.get("version") if isinstance(said, Mapping) else said
            if isinstance(version, str):
                yield newest(version)


_READERS: tuple[tuple[str, Callable[[str], Iterable[Newest | None]]], ...] = (
    ("uv.lock", _locked),
    ("poetry.lock", _locked),
    ("pdm.lock", _locked),
    ("pylock*.toml", _locked),
    ("Pipfile.lock", _locked_by_pipenv),
    ("conda-lock.yml", _locked_by_conda),
    ("pyproject.toml", _project),
    ("setup.cfg", _requirements),
    ("requirements*.txt", _requirements),
    ("environment*.y*ml", _environment),
    ("setup.py", _quoted),
)
"""Which files speak of torch, and how each is read."""

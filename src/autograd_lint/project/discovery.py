"""Which files to check: what was named, and below named directories what .gitignore leaves."""

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint import disk
from autograd_lint.configuration import settings
from autograd_lint.configuration.governing import Governing
from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".pyi", ".ipynb")
MARKDOWN = ".md"
NEVER = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "_build",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)


@dataclass(frozen=True)
class _Ignored:
    """The patterns of one .gitignore, relative to its directory."""

    directory: str
    spec: "GitIgnoreSpec"


class Discovery:
    """Finds the files below the paths that a user named; `excluded` counts what `exclude` took."""

    def __init__(self, governing: Governing, force_exclude: bool = False) -> None:
        self._governing = governing
        self._force = force_exclude
        self.excluded = 0

    def files(self, paths: Iterable[Path]) -> Iterator[Path | Trouble]:
        """The files to check, each once, folders in sorted order; a Trouble for what is missing."""
        seen: set[Path] = set()
        for path in paths:
            for found in self._below(path):
                if isinstance(found, Trouble):
                    yield found
                elif found not in seen:
                    seen.add(found)
                    yield found

    def _below(self, path: Path) -> Iterator[Path | Trouble]:
        absolute = Path(os.path.abspath(path))
        if absolute.is_dir():
            yield from self._walk(str(absolute), _ignored_above(absolute))
        elif not absolute.exists():
            yield _missing(path, absolute)
        elif self._force and self._is_excluded(str(absolute)):
            self.excluded += 1
        else:
            yield absolute

    def _walk(self, directory: str, ignored: tuple[_Ignored, ...]) -> Iterator[Path | Trouble]:
        ignored += _ignored_in(directory)
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except OSError as error:
            yield Trouble(
                f"{directory}: cannot be listed ({error.strerror}); "
                "exclude it or change its permissions"
            )
            return
        for entry in entries:
            if disk.is_folder(entry):
                if entry.name not in NEVER and not self._left_out(entry.path + "/", ignored):
                    yield from self._walk(entry.path, ignored)
            elif self._is_read(entry) and not self._left_out(entry.path, ignored):
                yield from self._entry(entry)

    def _is_read(self, entry: "os.DirEntry[str]") -> bool:
        """Whether files of that name are checked."""
        if entry.name.endswith(MARKDOWN):
            return self._governing.of(entry.path).code_blocks
        return entry.name.endswith(SUFFIXES)

    def _entry(self, entry: "os.DirEntry[str]") -> Iterator[Path | Trouble]:
        if disk.is_file(entry):
            yield Path(entry.path)
        elif not os.path.exists(entry.path):
            yield _missing(Path(entry.path), Path(entry.path))

    def _left_out(self, path: str, ignored: tuple[_Ignored, ...]) -> bool:
        if self._is_excluded(path):
            self.excluded += 1
            return True
        for one in reversed(ignored):
            verdict = one.spec.check_file(
                os.path.relpath(path, one.directory) + _slash(path)
            ).include
            if verdict is not None:
                return verdict
        return False

    def _is_excluded(self, path: str) -> bool:
        """Whether the settings of the folder that a file or folder lies in leave it out."""
        return self._governing.of(path.rstrip("/")).excludes(path)


def _slash(path: str) -> str:
    # A pattern that ends in a slash matches directories only, which `relpath` hides.
    return "/" if path.endswith("/") else ""


def _missing(path: Path, absolute: Path) -> Trouble:
    if absolute.is_symlink():
        if os.path.islink(absolute) and _leads_to_itself(absolute):
            return Trouble(f"{path}: the link points to itself; fix or remove it")
        return Trouble(f"{path}: dangling link to {os.readlink(absolute)}; fix or remove the link")
    return Trouble(f"{path}: no such file or directory; check the path and the working directory")


def _leads_to_itself(path: Path) -> bool:
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _ignored_in(directory: str) -> tuple[_Ignored, ...]:
    path = os.path.join(directory, ".gitignore")
    try:
        lines = disk.read(path).decode("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return (_Ignored(directory, settings.patterns(tuple(filter(_makes_sense, lines)))),)


def _makes_sense(line: str) -> bool:
    # git passes over a line that is no pattern, so a user may never have seen it.
    try:
        settings.patterns((line,))
    except Trouble:
        return False
    return True


def _ignored_above(directory: Path) -> tuple[_Ignored, ...]:
    """The .gitignore files from the top of the git repository to above `directory`."""
    above: list[_Ignored] = []
    if (directory / ".git").exists():
        return ()
    for parent in directory.parents:
        above[:0] = _ignored_in(str(parent))
        if (parent / ".git").exists():
            return tuple(above)
    return ()

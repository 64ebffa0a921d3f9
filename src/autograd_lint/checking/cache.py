"""What was found in files that have not changed since: one index beside the configuration.

A result is good while the file has the same content, every file that its imports asked for is as it
was (or still missing), and settings, Python and this package are the same. A file whose time, size
and number are the same is not even read; a time so near to that of the check that a later write
might have the same does not count.

The index is one file, replaced as a whole: of two runs at once the later one's results stay, and
what is in it is the work of either. It begins with the sum of the rest; what does not add up is
thrown away.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

from autograd_lint.checking.cache_index import Entry, Index, State
from autograd_lint.checking.checked import Checked
from autograd_lint.project.stamps import Stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SETTLED = 2_000_000_000  # nanoseconds after which a change has another time
_DISTRIBUTION = re.compile(r"autograd_lint-.+\.dist-info")
_MOST_INDEXES = 8  # for as many settings


class Cache:
    """Results by file. Whatever goes wrong with the index, the files are checked anew."""

    def __init__(self, folder: Path, *settings: object) -> None:
        """Keep results in `folder`, for these `settings` (their `repr` tells them apart)."""
        self._folder = folder
        self._kind = repr((settings, sys.version, _package()))
        name = crc32(self._kind.encode(errors="backslashreplace"))
        self._path = folder / f"index-{name:08x}.json"
        self._index = Index.read(self._path, self._kind)
        self._fresh: dict[str, Entry] = {}
        self._asked: dict[str, tuple[State, str, str]] = {}

    def by_state(
        self, filename: str, state: os.stat_result, origin: Callable[[], str]
    ) -> Checked | None:
        """The result for a file that looks as it did, if it is still good; `origin` tells what it
        hangs on besides files: its project, and the torch that this is written for."""
        known = self._index.state(filename)
        if known is None or not known[0] or known != _state(state):
            return None
        return self._restored(filename, origin)

    def by_content(
        self, filename: str, state: os.stat_result, origin: Callable[[], str], data: bytes
    ) -> Checked | None:
        """The result for a file with this content, if it is still good."""
        from hashlib import sha256

        looks, digest = _settled(state), sha256(data).hexdigest()
        self._asked[filename] = looks, digest, origin()
        if self._index.digest(filename) != digest:
            return None
        found = self._restored(filename, origin)
        if found is not None and looks[0]:
            self._fresh[filename] = replace(self._index.entry(filename), state=looks)
        return found

    def reject(self, filename: str, state: os.stat_result) -> None:
        """Remember that the gate rejects a file."""
        self._fresh[filename] = Entry(_settled(state), "", (), "")

    def put(self, checked: Checked) -> None:
        """Remember the result for a file that was asked for in vain; not a trouble, nor what
        was made in a hurry."""
        asked = self._asked.get(checked.filename)
        if asked is not None and not (checked.trouble or checked.hurried):
            from autograd_lint.checking.records import recorded

            looks, digest, origin = asked
            entry = Entry(looks, digest, checked.trail, recorded(checked), origin)
            self._fresh[checked.filename] = entry

    def write(self) -> None:
        """Put what is new into the index, together with what another run has put there since."""
        if not self._fresh:
            return
        with suppress(OSError):
            self._make_folder()
            Index.read(self._path, self._kind).write(self._path, self._fresh)
            self._prune()

    def _restored(self, filename: str, origin: Callable[[], str]) -> Checked | None:
        of_gate = not self._index.digest(filename)
        if not of_gate and self._index.origin(filename) != origin():
            return None
        if not self._index.is_current(filename):
            return None
        record = self._index.record(filename)
        if not record:
            return Checked(filename)
        from autograd_lint.checking.records import restored

        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return restored(filename, record)
        return None

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / ".gitignore").write_text("*\n", encoding="utf-8")

    def _prune(self) -> None:
        """Keep the indexes of the settings that were used last."""
        indexes = sorted(self._folder.glob("index-*.json"), key=os.path.getmtime, reverse=True)
        for old in indexes[_MOST_INDEXES:]:
            old.unlink()


def _state(state: os.stat_result) -> State:
    return state.st_mtime_ns, state.st_size, state.st_ino


def _settled(state: os.stat_result) -> State:
    """The state to remember; one without a time where the file was written just now."""
    from time import time_ns

    found = _state(state)
    return found if found[0] < time_ns() - _SETTLED else (0, *found[1:])


# What the package reads of itself: code, the table of operators, models of libraries, weights.
_READ = (".py", ".pyi", ".json", ".toml")


def _package() -> list[Stamp]:
    """What this package is made of: what was installed, or the files of a tree that is edited."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return _installed(os.path.dirname(root)) or sorted(_files(root))


def _installed(folder: str) -> list[Stamp]:
    """The list of files that an installer has left beside the package, if one has.

    Source: https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    with os.scandir(folder) as entries:
        beside = [one.path for one in entries if _DISTRIBUTION.fullmatch(one.name)]
    records = (os.path.join(path, "RECORD") for path in beside)
    return [_stamp(path, os.stat(path)) for path in records if os.path.exists(path)]


def _files(root: str) -> Iterator[Stamp]:
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith(_READ):
                    yield _stamp(entry.path, entry.stat())


def _stamp(path: str, state: os.stat_result) -> Stamp:
    return path, state.st_mtime_ns, state.st_size

"""Whether files that imports asked for are still as they were."""

import os
import stat
from collections.abc import Iterable
from zlib import crc32

from autograd_lint.project.folders import Folders

Stamp = tuple[str, int, int]
"""A file: its path, time of change and size. A folder: its path and what it has to import."""


GONE = (-1, -1)


class Stamps:
    """The stamps of one run, each taken once."""

    def __init__(self) -> None:
        self._taken: dict[str, Stamp] = {}
        self._folders = Folders()

    def of_all(self, paths: Iterable[str]) -> tuple[Stamp, ...]:
        """Stamps that change when an import of any of `paths` would find something else.

        For a missing file that is the stamp of the nearest folder above it that exists: there the
        first name on the way to the file would have to appear.
        """
        return tuple(sorted({self._of(path) for path in paths}))

    def hold(self, taken: Iterable[Stamp]) -> bool:
        """Whether stamps that were taken before would be the same now."""
        return all(self._of(one[0]) == one for one in taken)

    def _of(self, path: str) -> Stamp:
        """The stamp of a path, or of the nearest folder above it that exists."""
        if path not in self._taken:
            above, name = os.path.split(path)
            found = stamp_of(path) if self._may_be_in(above, name) else (path, *GONE)
            if found[1:] == GONE and above != path:
                found = self._of(above)
            self._taken[path] = found
        return self._taken[path]

    def _may_be_in(self, folder: str, name: str) -> bool:
        """Whether something may be in a folder, of which many other things are asked as well."""
        listing = self._folders.of(folder)
        return listing is None or not name or name in listing.names


def stamp_of(path: str) -> Stamp:
    """How the file or folder at `path` is now; -1 twice where it is gone."""
    try:
        state = os.stat(path)
        if stat.S_ISDIR(state.st_mode):
            names = sorted(filter(_importable, os.listdir(path)))
            return path, crc32("/".join(names).encode(errors="surrogateescape")), len(names)
    except OSError:
        return path, *GONE
    return path, state.st_mtime_ns, state.st_size


def _importable(name: str) -> bool:
    return name.endswith(".py") or ("." not in name and name != "__pycache__")

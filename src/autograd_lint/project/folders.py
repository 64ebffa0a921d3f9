"""What lies in folders, as the disk tells it: each folder is listed once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of what lies in a folder, and those of them that are files and no links."""

    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()


_NOTHING = Listing()  # of a folder that is not there, as the listing of that above it tells


class Folders:
    """The listings of folders. Those `inside` these folders are looked for in the one above them
    first, of which many more are asked."""

    def __init__(self, inside: tuple[str, ...] = ()) -> None:
        self._inside = inside
        self._known: dict[str, Listing | None] = {}

    def of(self, folder: str) -> Listing | None:
        """What lies in a folder, nothing where there is none; None where it does not tell."""
        if folder not in self._known:
            above, name = os.path.split(folder)
            is_inside = above != folder and above.startswith(self._inside)
            around = self.of(above) if is_inside else self._known.get(above)
            missing = above != folder and around is not None and name not in around.names
            self._known[folder] = _NOTHING if missing else _listed(folder)
        return self._known[folder]

    def listed(self) -> Iterator[tuple[str, Listing | None]]:
        """The folders of which the disk was asked, with what it told."""
        return ((one, told) for one, told in self._known.items() if told is not _NOTHING)


def _listed(folder: str) -> Listing | None:
    try:
        with os.scandir(folder or os.curdir) as entries:
            is_file = {one.name: one.is_file(follow_symlinks=False) for one in entries}
    except (FileNotFoundError, NotADirectoryError):
        return Listing()
    except OSError:
        return None
    return Listing(frozenset(is_file), frozenset(name for name in is_file if is_file[name]))

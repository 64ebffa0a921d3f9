"""What was found in the bytes of files, which are looked at once while they are as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from autograd_lint.project import stamps
from autograd_lint.project.source import Source
from autograd_lint.project.sources import Sources

T = TypeVar("T")


class Looked:
    """What functions of bytes have found in files; `opened` sources stand for their files."""

    def __init__(self, sources: Sources, opened: Mapping[str, Source]) -> None:
        self._sources = sources
        self._opened = opened
        self._seen: dict[str, Source | stamps.Stamp] = {}
        self._found: dict[str, dict[Callable[[bytes], object], object]] = {}

    def of(self, filename: str, find: Callable[[bytes], T]) -> T:
        """What `find` finds in the bytes of a file."""
        if filename not in self._found:
            self._seen[filename] = self._state(filename)
            self._found[filename] = {}
        known = self._found[filename]
        if find not in known:
            known[find] = find(self._sources.data(filename))
        found: T = known[find]  # type: ignore[assignment]
        return found

    def renew(self) -> list[str]:
        """Forget the files that are not as they were; returns their names."""
        changed = [name for name, seen in self._seen.items() if self._state(name) != seen]
        for name in changed:
            del self._seen[name], self._found[name]
        return changed

    def _state(self, filename: str) -> Source | stamps.Stamp:
        return self._opened.get(filename) or stamps.stamp_of(filename)

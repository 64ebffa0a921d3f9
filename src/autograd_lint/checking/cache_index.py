"""The file of the cache: entries by file name, and the stamps that they rest on, each once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

from autograd_lint import disk
from autograd_lint.project.stamps import Stamp, stamp_of

if TYPE_CHECKING:
    from pathlib import Path

State = tuple[int, int, int]
"""Time, size and number of a file."""


@dataclass(frozen=True)
class Entry:
    """What is remembered of one file: how it looked, the sum of its content (empty where the gate
    rejects it), the stamps of what its imports asked for, the record of what was found, and what
    it hangs on besides files."""

    state: State
    digest: str
    trail: tuple[Stamp, ...]
    record: str
    origin: str = ""


class Index:
    """The entries as they are on disk, decoded when they are asked for."""

    def __init__(self, kind: str, stamps: list[Stamp], files: dict[str, Any]) -> None:
        self._kind = kind
        self._stamps = stamps
        self._files = files
        self._gone: frozenset[int] | None = None

    @classmethod
    def read(cls, path: Path, kind: str) -> Index:
        """The index in a file; empty where there is none, it is damaged, or of another kind."""
        try:
            if not _is_ours(path):
                raise ValueError("another user has written it")
            head, _, body = disk.read(path).partition(b"\n")
            if head != _sum(body):
                raise ValueError("it does not add up")
            document = json.loads(body)
            if document["kind"] == kind:
                stamps = [(str(name), first, second) for name, first, second in document["stamps"]]
                files = {name: one for name, one in document["files"].items() if _is_entry(one)}
                return cls(kind, stamps, files)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        return cls(kind, [], {})

    def state(self, filename: str) -> State | None:
        """How a file looked when it was remembered; None for one that was not."""
        found = self._files.get(filename)
        return (found[0], found[1], found[2]) if found else None

    def digest(self, filename: str) -> str | None:
        """The sum of the content that a file had."""
        found = self._files.get(filename)
        return str(found[3]) if found else None

    def origin(self, filename: str) -> str:
        """What the result for a file hangs on besides files."""
        return str(self._files[filename][6])

    def record(self, filename: str) -> str:
        """What was found in a file that is remembered."""
        return str(self._files[filename][5])

    def entry(self, filename: str) -> Entry:
        """All that is remembered of a file."""
        time, size, number, digest, trail, record, origin = self._files[filename]
        return Entry((time, size, number), digest, self._trail(trail), record, origin)

    def is_current(self, filename: str) -> bool:
        """Whether everything that the imports of a file asked for is as it was."""
        try:
            if self._gone is None:
                current = enumerate(self._stamps)
                self._gone = frozenset(i for i, stamp in current if stamp_of(stamp[0]) != stamp)
            numbers = self._files[filename][4].split() if self._gone else ()
            return self._gone.isdisjoint(map(int, numbers))
        except ValueError:
            return False  # names and numbers that nobody has written here

    def write(self, path: Path, fresh: dict[str, Entry]) -> None:
        """Replace the file by one that has these entries, too."""
        entries = dict(self._entries()) | fresh
        numbers: dict[Stamp, int] = {}
        files = {}
        for name, entry in entries.items():
            trail = " ".join(str(numbers.setdefault(one, len(numbers))) for one in entry.trail)
            files[name] = [*entry.state, entry.digest, trail, entry.record, entry.origin]
        document = {"kind": self._kind, "stamps": list(numbers), "files": files}
        _replace(path, json.dumps(document).encode())

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        """All entries that are sound."""
        for name in self._files:
            with suppress(ValueError, IndexError):
                yield name, self.entry(name)

    def _trail(self, numbers: str) -> tuple[Stamp, ...]:
        return tuple(self._stamps[int(number)] for number in numbers.split())


def _is_ours(path: Path) -> bool:
    """Whether a file is this user's: what others write says nothing of our files."""
    return not hasattr(os, "geteuid") or os.stat(path).st_uid == os.geteuid()


def _is_entry(found: object) -> bool:
    """Whether a value from the disk has the shape of an entry."""
    if not isinstance(found, list) or len(found) != 7:
        return False
    numbers, texts = found[:3], found[3:]
    return all(type(one) is int for one in numbers) and all(type(one) is str for one in texts)


def _sum(body: bytes) -> bytes:
    return b"%08x" % crc32(body)


def _replace(path: Path, body: bytes) -> None:
    """Write beside the file, then put it in its place."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(_sum(body) + b"\n" + body)
        os.replace(beside, path)
    finally:
        with suppress(OSError):
            beside.unlink()

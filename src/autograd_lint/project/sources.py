"""The sources of files, read once and kept while there is room for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from autograd_lint import disk
from autograd_lint.project import reading, stamps
from autograd_lint.project.source import Source

_MOST_CHARACTERS = 4_000_000  # of sources kept; their trees take some 40 bytes a character


class Sources:
    """The sources of files by name; those that are `opened` stand for what is on the disk."""

    def __init__(self, opened: Mapping[str, Source]) -> None:
        self._opened = opened
        self._read: OrderedDict[str, Source | None] = OrderedDict()
        self._stamps: dict[str, stamps.Stamp] = {}
        self._guest = ""  # the source adopted last, while no import has asked for it
        self._characters = 0

    def of(self, filename: str) -> Source | None:
        """The source of a file; None for one that cannot be read or parsed."""
        opened = self._opened.get(filename)
        if opened is not None:
            return opened
        if filename == self._guest:
            self._guest = ""
        if filename not in self._read:
            self._keep(filename, reading.parsed(filename))
        self._read.move_to_end(filename)
        return self._read[filename]

    def lent(self, filename: str) -> Source | None:
        """The source of a file as for `of`, which is not kept for it."""
        kept = filename in self._opened or filename in self._read
        return self.of(filename) if kept else reading.parsed(filename)

    def data(self, filename: str) -> bytes:
        """The bytes of a file, which is not parsed for it; none where it cannot be read."""
        source = self._opened.get(filename) or self._read.get(filename)
        if source is not None:
            return source.text.encode(errors="replace")
        try:
            return disk.read(filename)
        except OSError:
            return b""

    def known(self, source: Source) -> Source:
        """What was read before of the same file, if its text is the same: it is parsed once."""
        before = self._read.get(source.filename)
        return before if before is not None and before.text == source.text else source

    def adopt(self, source: Source) -> None:
        """Let this source stand for its file until the next one is adopted, or longer if it is
        asked for meanwhile."""
        self.dismiss()
        if source.filename not in self._opened:
            asked = source.filename in self._read
            self._keep(source.filename, source)
            self._guest = "" if asked else source.filename

    def dismiss(self) -> None:
        """Forget the source adopted last, unless it was asked for."""
        if self._guest in self._read:
            self._drop(self._guest, self._read.pop(self._guest))
        self._guest = ""

    @contextmanager
    def unchanged(self, filename: str) -> Iterator[None]:
        """Sources of a file that are adopted meanwhile are forgotten in the end."""
        before = self._read.get(filename)
        try:
            yield
        finally:
            if before is not None:
                self._keep(filename, before)

    def renew(self) -> bool:
        """Forget the files that have changed; returns whether there are any."""
        changed = [name for name in self._read if stamps.stamp_of(name) != self._stamps[name]]
        for name in changed:
            self._drop(name, self._read.pop(name))
        return bool(changed)

    def _keep(self, filename: str, source: Source | None) -> None:
        if filename in self._read:
            self._drop(filename, self._read.pop(filename))
        self._stamps[filename] = stamps.stamp_of(filename)
        self._read[filename] = source
        self._characters += len(source.text) if source else 0
        while self._characters > _MOST_CHARACTERS and len(self._read) > 1:
            self._drop(*self._read.popitem(last=False))

    def _drop(self, filename: str, source: Source | None) -> None:
        del self._stamps[filename]
        self._characters -= len(source.text) if source else 0

"""A part of the files of a run, so that several machines share the work: `--shard 2/4`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.errors import Trouble

_WRITTEN = re.compile(r"(\d{1,4})/(\d{1,4})")


@dataclass(frozen=True)
class Shard:
    """The part `number`, counted from 1, of so many."""

    number: int
    count: int

    def of(self, files: Sequence[Path | Trouble]) -> list[Path | Trouble]:
        """The files of this part: neighbours stay together, for they share imports, and every part
        has about as many bytes. What could not be found is told by the first part."""
        paths = sorted(file for file in files if isinstance(file, Path))
        sizes = [_size(path) for path in paths]
        whole, before = sum(sizes) or 1, 0
        found: list[Path | Trouble] = []
        if self.number == 1:
            found += (file for file in files if isinstance(file, Trouble))
        for path, size in zip(paths, sizes, strict=True):
            if before * self.count // whole == self.number - 1:
                found.append(path)
            before += size
        return found


def parsed(text: str) -> Shard:
    """The part that `I/N` names; raises Trouble where it is none."""
    match = _WRITTEN.fullmatch(text)
    number, count = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise Trouble(f"--shard {text}: write I/N, as 1/4 for the first of four parts")
    return Shard(number, count)


def _size(path: Path) -> int:
    """The bytes of a file; each counts for something."""
    try:
        return os.stat(path).st_size + 1
    except OSError:
        return 1

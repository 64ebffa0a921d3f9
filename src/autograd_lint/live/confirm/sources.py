"""The files of a program that its witnesses may read: its Python sources, and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_MOST_FILES, _MOST_FOLDERS, _MOST_BYTES, _LONGEST = 5_000, 5_000, 64 << 20, 2 << 20


def sources(root: str, filename: str) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of the Python files below `root` and beside `filename`.

    Links, hidden folders and environments are left out; beyond some 5,000 files or 64 MB, the rest.
    """
    left = _MOST_BYTES
    seen: set[str] = set()
    for path in (*_beside(os.path.dirname(filename)), *_below(root)):
        if path in seen:
            continue
        if len(seen) == _MOST_FILES or left <= 0:
            return
        seen.add(path)
        data = _read(path)
        if data is not None:
            left -= len(data)
            yield path, data


def _beside(folder: str) -> Iterator[str]:
    """The files of the folder, and those of the packages it lies in."""
    while os.path.isdir(folder):
        yield from (os.path.join(folder, name) for name in _names(folder) if name.endswith(".py"))
        if not os.path.isfile(os.path.join(folder, "__init__.py")):
            return
        folder = os.path.dirname(folder)


def _below(root: str) -> Iterator[str]:
    folders = [root] if Path(root).parent != Path(root) else []
    met = 0
    while folders and met < _MOST_FOLDERS:
        folder, met = folders.pop(0), met + 1
        names = _names(folder)
        if "pyvenv.cfg" in names:
            continue
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".py"):
                yield path
            elif _is_entered(path, name):
                folders.append(path)


def _is_entered(path: str, name: str) -> bool:
    if name.startswith(".") or name in ("node_modules", "__pycache__", "site-packages"):
        return False
    return not os.path.islink(path) and os.path.isdir(path)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _read(path: str) -> bytes | None:
    """The contents of a regular file that no link leads to."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST:
            return None
        return stream.read(_LONGEST)

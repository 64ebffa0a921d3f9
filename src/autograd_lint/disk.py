"""Files as they are found: links to themselves, pipes, devices, names that are no text."""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path

LARGEST = 100 << 20  # bytes: a notebook with its pictures; sources are much shorter
_PATIENCE = 60  # seconds that a pipe may leave us waiting


def read(path: Path | str, *, piped: bool = False) -> bytes:
    """The bytes of a regular file, or, where that is wanted, of a pipe that somebody writes to.

    Raises OSError for everything else, and for what is too large.
    """
    descriptor = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        state = os.fstat(descriptor)
        if stat.S_ISREG(state.st_mode) and state.st_size <= LARGEST:
            return stream.read()
        if piped and stat.S_ISFIFO(state.st_mode):
            return _read_pipe(descriptor)
    if stat.S_ISREG(state.st_mode):
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    raise OSError(errno.EINVAL, "not a regular file")


_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def read_text(path: Path | str) -> str:
    """A regular file as UTF-8; raises OSError and UnicodeDecodeError."""
    return read(path).decode("utf-8")


def is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder is a regular file; a link to itself is none."""
    try:
        return entry.is_file()
    except OSError:
        return False


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, and no link to one."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _read_pipe(descriptor: int) -> bytes:
    parts = bytearray()
    while len(parts) <= LARGEST:
        try:
            part = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            if not select.select([descriptor], [], [], _PATIENCE)[0]:
                break
            continue
        if not part:
            break
        parts += part
    if not parts:
        raise OSError(errno.EINVAL, "nobody writes to this pipe")
    return bytes(parts)

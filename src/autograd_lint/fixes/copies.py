"""Copies that stand beside a file while it is replaced, and those that a killed run has left.

A copy is locked (flock(2)) for as long as the run that made it lives. So a copy that can be locked
belongs to nobody any more.
"""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

try:
    import fcntl
except ImportError:  # Windows: what a killed run has left stays there
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.autograd-lint-[0-9a-f]{8}")


@contextmanager
def made(folder: str, data: bytes, mode: int) -> Iterator[str]:
    """The path of a copy in the folder, with this content and these rights.

    It is gone after the block, unless the block has given it another name.
    """
    path = os.path.join(folder, f".autograd-lint-{secrets.token_hex(4)}")
    try:
        handle = _nameless(path, data, mode)
        if handle is None:
            handle = _named(path, data, mode)
        if fcntl is None:
            os.close(handle)  # Windows renames no file that is open
        try:
            yield path
        finally:
            if fcntl is not None:
                os.close(handle)
    finally:
        with suppress(OSError):
            os.unlink(path)


def clear(folder: str) -> None:
    """Remove the copies in a folder that runs which are no more have left there."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(folder):
            if _NAME.fullmatch(name):
                _remove_if_left(os.path.join(folder, name))


def _remove_if_left(path: str) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if _lock(handle):
                os.unlink(path)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    """Lock a file, if nobody has locked it and this system can."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _nameless(path: str, data: bytes, mode: int) -> int | None:
    """Write a file that has a name only once it is whole; None where this system has no such files
    (open(2), O_TMPFILE)."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        handle = os.open(os.path.dirname(path), os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return None
    _fill(handle, data, mode)
    try:
        os.link(f"/proc/self/fd/{handle}", path, follow_symlinks=True)
    except OSError:
        os.close(handle)
        return None
    return handle


def _named(path: str, data: bytes, mode: int) -> int:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    _fill(handle, data, mode)
    return handle


def _fill(handle: int, data: bytes, mode: int) -> None:
    """Lock a file, write all of it, and give it its rights; closes it where that fails."""
    try:
        _lock(handle)
        with os.fdopen(handle, "wb", closefd=False) as stream:
            stream.write(data)
        _give_rights(handle, mode)
    except BaseException:
        os.close(handle)
        raise


def _give_rights(handle: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)

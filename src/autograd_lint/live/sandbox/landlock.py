"""Landlock: which files a process may read and write, enforced by the kernel (Linux 5.13 on).

Source of the numbers: the kernel's documentation, userspace-api/landlock, and linux/landlock.h.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from autograd_lint.live.sandbox.system import Refused, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_LATEST = 7


def version() -> int:
    """The version of Landlock that the kernel speaks. Raises Refused where it has none."""
    return syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))


def restrict(
    readable: Iterable[str],
    writable: Iterable[str],
    listed: Iterable[str] = (),
    rewritable: Iterable[str] = (),
) -> int:
    """Forbid all other files for good; returns the version. Raises Refused.

    A device that is writable takes commands as well (`ioctl`, by which a GPU is driven).
    Of the folders `listed` only the names of what they hold are to be had. In the folders
    `rewritable` the files that are there may be written, and none made or removed.
    """
    spoken = min(version(), _LATEST)
    handled = _handled(spoken)
    attributes = struct.pack("QQQ", handled, 3 if spoken >= 4 else 0, 3 if spoken >= 6 else 0)
    size = 8 if spoken < 4 else 16 if spoken < 6 else 24
    ruleset = syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    for path in readable:
        _allow(ruleset, path, handled & (_READ_FILE | _READ_DIR))
    for path in listed:
        _allow(ruleset, path, handled & _READ_DIR)
    for path in rewritable:
        _allow(ruleset, path, handled & (_WRITE_FILE | _TRUNCATE))
    for path in writable:
        _allow(ruleset, path, handled & ~_EXECUTE)
    syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)
    return spoken


def _handled(spoken: int) -> int:
    """The accesses that this version can forbid."""
    bits = 13 if spoken == 1 else 14 if spoken == 2 else 15 if spoken < 5 else 16
    return (1 << bits) - 1


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISDIR(mode):
            access &= _ON_FILES | (_IOCTL_DEVICE if stat.S_ISCHR(mode) else 0)
        if not access:
            return
        rule = struct.pack("=Qi", access, descriptor)
        syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), rule, 0)
    finally:
        os.close(descriptor)


__all__ = ["Refused", "restrict", "version"]

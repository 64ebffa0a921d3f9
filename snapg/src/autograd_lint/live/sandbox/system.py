"""System calls that Python does not offer."""

import ctypes
import os
import platform

_LIBC = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38


class Refused(Exception):
    """The system does not do what was asked; the text says why."""


def syscall(number: int, *arguments: object) -> int:
    """A raw system call. Raises Refused with the system's reason."""
    result = int(_LIBC.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise Refused(os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, *arguments: object) -> None:
    """Change a property of this process. Raises Refused."""
    padded = [*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments))]
    if _LIBC.prctl(option, *padded) != 0:
        raise Refused(os.strerror(ctypes.get_errno()))


def unshare(flags: int) -> None:
    """Leave namespaces. Raises Refused."""
    if _LIBC.unshare(flags) != 0:
        raise Refused(os.strerror(ctypes.get_errno()))


def machine() -> str:
    """The processor's name, as the kernel calls it."""
    return platform.machine()

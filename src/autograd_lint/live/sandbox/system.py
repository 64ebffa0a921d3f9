"""System calls that Python does not offer."""

import ctypes
import os
import platform

_LIBC = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = (
    1, 22, 24, 38, 47,
)  # fmt: skip


class Refused(Exception):
    """The system does not do what was asked; the text says why."""


def syscall(number: int, *arguments: object) -> int:
    """A raw system call. Raises Refused with the system's reason."""
    result = int(_LIBC.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise _refused()
    return result


def prctl(option: int, *arguments: object) -> None:
    """Change a property of this process. Raises Refused."""
    padded = [*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments))]
    if _LIBC.prctl(option, *padded) != 0:
        raise _refused()


def unshare(flags: int) -> None:
    """Leave namespaces. Raises Refused."""
    if _LIBC.unshare(flags) != 0:
        raise _refused()


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount a file system. Raises Refused."""
    result = _LIBC.mount(
        _text(source), _text(target), _text(kind), ctypes.c_ulong(flags), _text(data)
    )
    if result != 0:
        raise _refused(target)


def unmount(target: str, flags: int) -> None:
    """Take a mounted file system away. Raises Refused."""
    if _LIBC.umount2(_text(target), ctypes.c_int(flags)) != 0:
        raise _refused(target)


def machine() -> str:
    """The processor's name, as the kernel calls it."""
    return platform.machine()


def _text(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


def _refused(about: str = "") -> Refused:
    reason = os.strerror(ctypes.get_errno())
    return Refused(f"{reason} ({about})" if about else reason)

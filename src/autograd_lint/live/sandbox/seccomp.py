"""Seccomp: only listed system calls succeed, all others fail with EPERM.

The filter is classic BPF, put together here; source of the layout: linux/seccomp.h, linux/filter.h.
"""

import ctypes
import errno
import struct
from collections.abc import Iterator

from autograd_lint.live.sandbox import calls
from autograd_lint.live.sandbox.system import PR_SET_SECCOMP, Refused, machine, prctl

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_CLONE_THREAD, _CLONE_NAMESPACES = 0x10000, 0x7E020000
_OTHER_ABI = 0x40000000  # x32 calls on x86_64
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

Step = tuple[int, int, int, int]  # code, jump if true, jump if false, value
_PERMIT: Step = (_RETURN, 0, 0, _ALLOW)
_DENY: Step = (_RETURN, 0, 0, _ERROR | errno.EPERM)
_MISSING: Step = (_RETURN, 0, 0, _ERROR | errno.ENOSYS)
_NOBODY_THERE: Step = (_RETURN, 0, 0, _ERROR | errno.ENOENT)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def restrict(cuda: bool = False) -> None:
    """Install the filter for good; needs no_new_privs. Raises Refused."""
    name = machine()
    if name not in _ARCHITECTURES:
        raise Refused(f"no filter for {name}")
    code = b"".join(struct.pack("HBBI", *step) for step in _steps(name, cuda))
    memory = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(memory, ctypes.c_void_p))
    prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(program))


def _steps(name: str, cuda: bool) -> Iterator[Step]:
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield (_EQUAL, 1, 0, _ARCHITECTURES[name])
    yield _DENY
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_AT_LEAST, 0, 1, _OTHER_ABI)
    yield _DENY
    allowed = {*calls.ALLOWED[name].values(), *(calls.FOR_CUDA[name].values() if cuda else ())}
    for number in sorted(allowed):
        yield from _when(number, [_PERMIT])
    for number in sorted(calls.UNKNOWN.values()):
        yield from _when(number, [_MISSING])
    if cuda:
        yield from _when(calls.CONNECT[name], [_NOBODY_THERE])
    for number, (argument, values) in calls.by_argument(name, cuda).items():
        yield from _when(number, _with_values(argument, values))
    yield from _when(calls.CLONE[name], _new_thread())
    yield _DENY


def _when(number: int, then: list[Step]) -> list[Step]:
    """Steps for one system call, the last of which ends the filter."""
    return [(_EQUAL, 0, len(then), number), *then]


def _with_values(argument: int, values: tuple[int, ...]) -> list[Step]:
    """Permit an argument (its lower 32 bits, all that these calls look at) to be one of them."""
    steps: list[Step] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [(_EQUAL, 0, 1, value), _PERMIT]
    return [*steps, _DENY]


def _new_thread() -> list[Step]:
    """Permit threads, not processes, and no namespaces."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY_BIT, 0, 1, _CLONE_NAMESPACES),
        _DENY,
        (_ANY_BIT, 0, 1, _CLONE_THREAD),
        _PERMIT,
        _DENY,
    ]

"""Seccomp: system calls that a witness has no use for fail with EPERM.

The filter is classic BPF, put together here; source of the layout: linux/seccomp.h, linux/filter.h.
"""

import ctypes
import errno
import struct

from autograd_lint.live.sandbox.system import PR_SET_SECCOMP, Refused, machine, prctl

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_CLONE_THREAD = 0x10000
_OTHER_ABI = 0x40000000  # x32 calls on x86_64

# New processes, network, signals to others, and everything that leads out of a sandbox.
_FORBIDDEN = {
    "x86_64": {
        "socket": 41, "connect": 42, "accept": 43, "bind": 49, "listen": 50, "fork": 57,
        "vfork": 58, "execve": 59, "kill": 62, "ptrace": 101, "pivot_root": 155, "chroot": 161,
        "mount": 165, "umount2": 166, "reboot": 169, "init_module": 175, "delete_module": 176,
        "keyctl": 250, "unshare": 272, "perf_event_open": 298, "setns": 308,
        "process_vm_readv": 310, "process_vm_writev": 311, "finit_module": 313, "bpf": 321,
        "execveat": 322, "userfaultfd": 323, "io_uring_setup": 425, "pidfd_send_signal": 424,
        "open_tree": 428, "move_mount": 429, "fsopen": 430, "pidfd_getfd": 438,
    },
    "aarch64": {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "unshare": 97,
        "init_module": 105, "delete_module": 106, "ptrace": 117, "kill": 129, "reboot": 142,
        "socket": 198, "bind": 200, "listen": 201, "accept": 202, "connect": 203, "keyctl": 219,
        "execve": 221, "perf_event_open": 241, "setns": 268, "process_vm_readv": 270,
        "process_vm_writev": 271, "finit_module": 273, "bpf": 280, "execveat": 281,
        "userfaultfd": 282, "io_uring_setup": 425, "pidfd_send_signal": 424, "open_tree": 428,
        "move_mount": 429, "fsopen": 430, "pidfd_getfd": 438,
    },
}  # fmt: skip
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def restrict() -> None:
    """Install the filter for good; needs no_new_privs. Raises Refused."""
    name = machine()
    if name not in _FORBIDDEN:
        raise Refused(f"no filter for {name}")
    code = b"".join(struct.pack("HBBI", *step) for step in _steps(name))
    memory = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(memory, ctypes.c_void_p))
    prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(program))


def _steps(name: str) -> list[tuple[int, int, int, int]]:
    """Instructions (code, jump if true, jump if false, value)."""
    denied = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[name]),
        denied,
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_ABI),
        denied,
    ]
    for number in sorted(_FORBIDDEN[name].values()):
        steps += [(_EQUAL, 0, 1, number), denied]
    # The C library falls back to clone, whose flags a filter can read.
    steps += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    steps += [
        (_EQUAL, 0, 3, _CLONE[name]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 1, 0, _CLONE_THREAD),
        denied,
        (_RETURN, 0, 0, _ALLOW),
    ]
    return steps

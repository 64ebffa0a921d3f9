"""Capabilities: what a privileged process may do besides; a witness keeps none of it.

Source of the numbers and of the layout: linux/capability.h.
"""

import contextlib
import ctypes
import struct

from autograd_lint.live.sandbox.system import (
    PR_CAP_AMBIENT,
    PR_CAPBSET_DROP,
    Refused,
    machine,
    prctl,
    syscall,
)

_CAPSET = {"x86_64": 126, "aarch64": 91}
_VERSION_3 = 0x20080522
_CLEAR_ALL = 4
_MOST = 64  # more than any kernel knows


def drop() -> None:
    """Give up all capabilities for good. Raises Refused."""
    if machine() not in _CAPSET:
        raise Refused(f"not known for {machine()}")
    with contextlib.suppress(Refused):  # who has none has nothing to take from others, either
        for number in range(_MOST):
            prctl(PR_CAPBSET_DROP, ctypes.c_ulong(number))
    with contextlib.suppress(Refused):  # kernels before 4.3 have no such set
        prctl(PR_CAP_AMBIENT, ctypes.c_ulong(_CLEAR_ALL))
    syscall(_CAPSET[machine()], struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", *[0] * 6))

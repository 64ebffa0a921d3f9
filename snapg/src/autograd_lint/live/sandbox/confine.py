"""All layers of the sandbox, one after the other."""

import os
import resource
import signal
import sys
import sysconfig
from collections.abc import Callable
from ctypes import c_ulong
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.live.sandbox import landlock, seccomp, system

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a witness may use. `folder` is the only place it may write to."""

    folder: str
    readable: tuple[str, ...] = ()
    seconds: int = 20
    memory_megabytes: int = 4096
    file_megabytes: int = 64
    files: int = 256


def confine(limits: Limits, cuda: bool = False) -> list[str]:
    """Confine this process for good; returns the layers that this system lacks, with reasons."""
    layers: list[tuple[str, Callable[[], object]]] = [
        ("limits on time, memory and files", lambda: _limit(limits, cuda)),
        ("end with the parent", lambda: system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)),
        ("no new privileges", lambda: system.prctl(system.PR_SET_NO_NEW_PRIVS, c_ulong(1))),
        ("a network of its own", leave_network),
        ("files (Landlock)", lambda: landlock.restrict(_readable(limits), _writable(limits, cuda))),
        ("system calls (seccomp)", seccomp.restrict),
    ]
    lacking = []
    if sys.platform != "linux":  # the other layers are made of Linux's own system calls
        layers, lacking = layers[:1], [f"{name}: not on {sys.platform}" for name, _ in layers[1:]]
    for name, enter in layers:
        try:
            enter()
        except (system.Refused, OSError, ValueError, AttributeError) as reason:
            lacking.append(f"{name}: {reason}")
    return lacking


def _limit(limits: Limits, cuda: bool) -> None:
    _set(resource.RLIMIT_CPU, limits.seconds)
    _set(resource.RLIMIT_FSIZE, limits.file_megabytes * _MEGABYTE)
    _set(resource.RLIMIT_NOFILE, limits.files)
    _set(resource.RLIMIT_CORE, 0)
    if not cuda:  # CUDA reserves more address space than it uses
        _set(resource.RLIMIT_AS, _address_space() + limits.memory_megabytes * _MEGABYTE)


def _set(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def _address_space() -> int:
    """What the process has mapped already, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def leave_network() -> None:
    """Go to a network without any interface that is up. Raises Refused."""
    try:
        system.unshare(_CLONE_NEWNET)
    except system.Refused:
        system.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _readable(limits: Limits) -> list[str]:
    """The interpreter, the libraries, the system's shared files, and what the witness is about."""
    python = {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *sys.path}
    shared = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices"}
    devices = {"/proc", "/dev/urandom", "/dev/random", "/dev/zero", "/sys/fs/cgroup"}
    return sorted(path for path in {*python, *shared, *devices, *limits.readable} if path)


def _writable(limits: Limits, cuda: bool) -> list[str]:
    gpu = [str(path) for path in Path("/dev").glob("nvidia*")] if cuda else []
    return [limits.folder, "/dev/null", *gpu]

"""The layers around one witness, one after the other."""

import os
import resource
import signal
import sys
from collections.abc import Callable
from ctypes import c_ulong
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.live.sandbox import capabilities, landlock, seccomp, system
from autograd_lint.live.sandbox.namespaces import NOBODY

_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a witness may use. `folder` is the only place it may write to, besides `devices`.

    Of the folders `listed` it may see the names of what they hold.
    """

    folder: str
    readable: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    devices: tuple[str, ...] = ("/dev/null",)
    seconds: int = 20
    memory_megabytes: int = 4096
    file_megabytes: int = 64
    files: int = 256
    threads: int = 256


def confine(limits: Limits, cuda: bool = False) -> list[str]:
    """Confine this process for good; returns the layers that this system lacks, with reasons."""
    layers: list[tuple[str, Callable[[], object]]] = [
        ("limits on time, memory, files and threads", lambda: _limit(limits, cuda)),
        ("no new privileges", lambda: system.prctl(system.PR_SET_NO_NEW_PRIVS, c_ulong(1))),
        ("no capabilities", _drop_privileges),
        ("end with the parent", lambda: system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)),
        ("files (Landlock)", lambda: _restrict_files(limits, cuda)),
        ("system calls (seccomp)", lambda: seccomp.restrict(cuda)),
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


def _restrict_files(limits: Limits, cuda: bool) -> None:
    writable = [limits.folder, *limits.devices]
    threads = [f"/proc/{os.getpid()}/task"] if cuda else []  # CUDA gives names to its own
    landlock.restrict(limits.readable, writable, limits.listed, threads)


def _drop_privileges() -> None:
    """A superuser becomes nobody where the namespace knows him; no capability is kept."""
    if os.geteuid() == 0 and _is_mapped(NOBODY):
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    capabilities.drop()


def _is_mapped(user: int) -> bool:
    """Whether users are mapped one by one, this one among them (as `namespaces.enter` does)."""
    maps = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return any(int(first) == user and int(count) == 1 for first, _, count in maps)


def _limit(limits: Limits, cuda: bool) -> None:
    _set(resource.RLIMIT_CPU, limits.seconds)
    _set(resource.RLIMIT_FSIZE, limits.file_megabytes * _MEGABYTE)
    _set(resource.RLIMIT_NOFILE, limits.files)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_MEMLOCK, _MEGABYTE)
    if sys.platform == "linux" and Path("/proc/self/ns/user").exists() and _is_apart():
        _set(resource.RLIMIT_NPROC, limits.threads)  # counted in the user namespace alone
    if not cuda:  # CUDA reserves more address space than it uses
        _set(resource.RLIMIT_AS, _address_space() + limits.memory_megabytes * _MEGABYTE)


def _is_apart() -> bool:
    """Whether this is a user namespace of few users, where others' processes do not count."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    return all(int(line.split()[2]) == 1 for line in lines)


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

"""Namespaces: a process that sees only what it is shown, with processes and a network of its own.

What begins in them ends with the first process in them, and leaves nothing: no process, no shared
memory, no file. Source of the numbers: linux/sched.h, linux/mount.h; of the way to change the root:
pivot_root(2).
"""

import ctypes
import os
import signal
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from autograd_lint.live.sandbox import view
from autograd_lint.live.sandbox.system import (
    PR_SET_PDEATHSIG,
    Refused,
    machine,
    mount,
    prctl,
    syscall,
    unmount,
    unshare,
)

NOBODY = 65534
_MOUNT, _CGROUP, _NAMES, _IPC, _USER, _PROCESSES, _NETWORK = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
_APART = _MOUNT | _CGROUP | _NAMES | _IPC | _PROCESSES | _NETWORK
_NOSUID, _NODEV, _NOEXEC, _BIND, _RECURSIVE, _PRIVATE, _DETACH = (
    0x2, 0x4, 0x8, 0x1000, 0x4000, 0x40000, 0x2,
)  # fmt: skip
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR, _HERE, _WHOLE = 442, -100, 0x8000
_READ_ONLY, _NO_SUID, _NO_DEVICES = 0x1, 0x2, 0x4
_OLD, _NEW = "/old", "/new"
_FOR_FILES, _FOR_WORK = "size=512m,nr_inodes=200k,mode=0755", "size=256m,nr_inodes=4k,mode=0777"


def enter(shown: Iterable[str], devices: Iterable[str]) -> None:
    """Go on in a new process, the first of its namespaces, which sees only `shown` and `devices`.

    The calling process stays behind, waits for it and ends with its status. Raises Refused, and in
    that case nothing has changed but the namespaces of this process.
    """
    user, group = os.getuid(), os.getgid()
    telling, told = os.pipe()  # what the system refuses the child
    _leave(user, group)
    child = os.fork()
    if child:
        os.close(told)
        _follow(child, telling)
    os.close(telling)
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        _change_root([*shown], [*devices])
    except (Refused, OSError) as reason:
        os.write(told, str(reason).encode())
        os._exit(0)
    os.close(told)


def _follow(child: int, telling: int) -> None:
    """Wait for the child; raise Refused with what it told, else end as it does."""
    with os.fdopen(telling, "rb") as stream:
        reason = stream.read()
    if not reason:
        for descriptor in (0, 1):  # they are the child's alone, so that their ends are seen
            os.close(descriptor)
    status = os.waitpid(child, 0)[1]
    if reason:
        raise Refused(reason.decode())
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _leave(user: int, group: int) -> None:
    """Leave all namespaces. A superuser takes the user `nobody` along, for witnesses to be."""
    if user == 0:
        os.setgroups([])
        maps = f"0 0 1\n{NOBODY} {NOBODY} 1\n"
        with _Helper(os.getpid(), {"uid_map": maps, "gid_map": maps}):
            unshare(_USER | _APART)
        return
    unshare(_USER | _APART)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1\n")
    _write("/proc/self/gid_map", f"{group} {group} 1\n")


class _Helper:
    """A process that stays outside while the block runs, then writes maps of several users.

    Only from outside may several be mapped (user_namespaces(7)).
    """

    def __init__(self, process: int, maps: dict[str, str]) -> None:
        waiting, self._starting = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(self._starting)
            os._exit(_write_when_told(waiting, process, maps))
        os.close(waiting)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if error is None:
            os.write(self._starting, b"x")
        os.close(self._starting)
        if os.waitpid(self._child, 0)[1] and error is None:
            raise Refused("users cannot be mapped")


def _write_when_told(waiting: int, process: int, maps: dict[str, str]) -> int:
    """Returns the exit code of the helper."""
    if not os.read(waiting, 1):
        return 0
    try:
        for name, text in maps.items():
            _write(f"/proc/{process}/{name}", text)
    except Refused:
        return 1
    return 0


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise Refused(f"{error.strerror} ({path})") from None


def _change_root(shown: list[str], devices: list[str]) -> None:
    """Make a root of memory in which only `shown` (unchangeable) and `devices` are."""
    real = {path: os.path.realpath(path) for path in shown}
    mount(None, "/", None, _RECURSIVE | _PRIVATE)
    mount("tmpfs", "/tmp", "tmpfs", _NOSUID | _NODEV, _FOR_FILES)
    for name in (_OLD, _NEW):
        os.mkdir(f"/tmp{name}")
    _pivot("/tmp", f"/tmp{_OLD}")
    mount("tmpfs", _NEW, "tmpfs", _NOSUID | _NODEV, _FOR_FILES)
    for path in sorted(real):
        _show(real[path], path)
    for path in devices:
        _bind(path, path)
    os.makedirs(f"{_NEW}/proc", exist_ok=True)
    mount("proc", f"{_NEW}/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    os.mkdir(_NEW + view.WORK)
    mount("tmpfs", _NEW + view.WORK, "tmpfs", _NOSUID | _NODEV | _NOEXEC, _FOR_WORK)
    unmount(_OLD, _DETACH)
    os.chdir(_NEW)
    _pivot(".", ".")
    unmount(".", _DETACH)
    os.chdir("/")


def _show(source: str, path: str) -> None:
    """Show what lies at `source` under `path`, and under its own name, for links lead there."""
    for name in dict.fromkeys((source, path)):
        target = _NEW + name
        if not os.path.lexists(target):
            _bind(source, name)
            _protect(target)


def _bind(source: str, path: str) -> None:
    target = Path(_NEW + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISDIR(os.stat(_OLD + source).st_mode):
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    mount(_OLD + source, str(target), None, _BIND | _RECURSIVE)


def _protect(target: str) -> None:
    """Nothing below it can be changed, whatever is mounted there."""
    attributes = struct.pack("=4Q", _READ_ONLY | _NO_SUID | _NO_DEVICES, 0, 0, 0)
    syscall(
        _MOUNT_SETATTR,
        ctypes.c_int(_HERE),
        os.fsencode(target),
        ctypes.c_uint(_WHOLE),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )


def _pivot(new: str, old: str) -> None:
    number = _PIVOT_ROOT.get(machine())
    if number is None:
        raise Refused(f"not known for {machine()}")
    syscall(number, os.fsencode(new), os.fsencode(old))

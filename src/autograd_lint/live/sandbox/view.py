"""What a witness sees of the file system: the interpreter and its libraries."""

import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from autograd_lint import addresses

WORK = "/autograd-lint-witness"  # the only folder that can be written, where the view is its own

_SYSTEM = (
    "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/local/lib", "/usr/share/zoneinfo", "/lib",
    "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu",
)  # fmt: skip
_OF_A_PREFIX = ("bin", "lib", "lib64", "share", "pyvenv.cfg")
_OF_PROC = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_FOR_CUDA = ("/usr/local", "/proc", "/sys")


def folders(cuda: bool = False) -> list[str]:
    """Files and folders to show: Python, its packages, this package, the system's libraries.

    A prefix is not shown as a whole: programs may lie below it (`/usr/src/app`).
    """
    found = [*_SYSTEM, *_packages(), addresses.FOLDER]
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        found += [os.path.join(prefix, name) for name in _OF_A_PREFIX]
    found += _libraries()
    if cuda:
        found += _FOR_CUDA
    return sorted({path for path in found if os.path.exists(path)})


def _packages() -> Iterator[str]:
    """The standard library, and where packages are installed; not what links to elsewhere."""
    yield from (sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    yield from (sysconfig.get_path(name) for name in ("purelib", "platlib"))
    names = ("site-packages", "dist-packages")
    yield from (path for path in sys.path if os.path.basename(path) in names)


def _libraries() -> list[str]:
    """Where the dynamic linker was told to look."""
    given = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return [path for path in given if os.path.isabs(path) and path.count("/") > 1]


def shown(cuda: bool = False) -> tuple[list[str], list[str]]:
    """The folders and files that are shown, and the devices."""
    return folders(cuda), [*DEVICES, *(gpus() if cuda else ())]


def user_packages() -> str | None:
    """The folder of the packages that the user has installed for himself, if Python looks there."""
    folder = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    return folder if folder and os.path.isdir(folder) else None


def readable(cuda: bool = False) -> list[str]:
    """What a witness may open for reading: the folders, and what the kernel says of the machine."""
    return [*folders(cuda), *_OF_PROC, f"/proc/{os.getpid()}", *DEVICES]


def gpus() -> list[str]:
    """The devices of NVIDIA's driver."""
    return [str(path) for path in Path("/dev").glob("nvidia*")]

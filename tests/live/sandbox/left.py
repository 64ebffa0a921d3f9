"""What the probes would leave on a system, by the names and numbers that they use."""

import os
import time
from pathlib import Path

from tests.live.sandbox.probes import KEY, NAME


def traces() -> list[str]:
    """What is there of the things that the probes try to make."""
    files = [Path(folder, NAME) for folder in ("/tmp", "/dev/shm", "/dev/mqueue")]
    return [
        *(str(path) for path in files if path.exists()),
        *(f"SysV {name}" for name in ("shm", "sem", "msg") if KEY in _keys(name)),
        *(line for line in Path("/proc/keys").read_text().splitlines() if NAME in line),
    ]


def _keys(name: str) -> list[int]:
    """The numbers under which programs share memory, semaphores or queues."""
    lines = Path(f"/proc/sysvipc/{name}").read_text().splitlines()[1:]
    return [int(line.split()[0]) for line in lines]


def has_ended(group: int) -> bool:
    """Whether no process of the group is left, after a while."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False

"""Bubblewrap: a program that gives others namespaces, where we may not make them ourselves.

Some systems let only it: where it is installed with the superuser's rights, or has a profile of its
own. Source of the options: bwrap(1).
"""

import os
from collections.abc import Iterable

from autograd_lint.live.sandbox import view

_PROGRAM = "/usr/bin/bwrap"  # never one from the path, which may lead into a project


def is_there() -> bool:
    """Whether it is installed."""
    return os.access(_PROGRAM, os.X_OK)


def around(command: Iterable[str], shown: Iterable[str], devices: Iterable[str]) -> list[str]:
    """The command, run in namespaces of its own, where it sees only `shown` and `devices`."""
    options = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
    options += ["--cap-drop", "ALL", "--hostname", "witness", "--proc", "/proc"]
    for path in shown:
        real = os.path.realpath(path)
        for name in dict.fromkeys((real, path)):
            options += ["--ro-bind", real, name]
    for path in devices:
        options += ["--dev-bind", path, path]
    options += ["--size", str(256 << 20), "--tmpfs", view.WORK, "--chdir", "/"]
    return [_PROGRAM, *options, "--", *command]

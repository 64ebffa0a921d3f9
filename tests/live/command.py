"""Runs the command in processes that a Python forks which has imported torch: importing takes most
of the time of a small run.

What such a process does at its end, its streams, status, arguments and environment are its own. A
program that starts Python anew (`spawn`, `forkserver`) needs a process that has begun as one.
"""

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

SERVER = """
import gc, json, os, signal, sys, tempfile
import autograd_lint.live.command
import torch._dynamo  # which the first optimizer of a program imports
from autograd_lint.cli import main

gc.freeze()  # or each fork would look through all that was imported when it ends
for asked in map(json.loads, sys.stdin):
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
signal.alarm(120)
os.chdir(asked["cwd"])
os.environ.clear()
os.environ.update(asked["environment"])
tempfile.tempdir = None
for descriptor, path in enumerate(asked["streams"]):
    os.dup2(os.open(path, os.O_RDONLY if not descriptor else os.O_WRONLY), descriptor)
sys.argv[1:] = asked["arguments"]
sys.exit(main())
"""


def trace(*arguments: str, cwd: Path, check: bool = False) -> subprocess.CompletedProcess[str]:
    """What `autograd-lint trace` prints in a folder; with `check` it has to end with 0."""
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        for path in (out, err):
            path.touch()
        asked = {
            "arguments": ["trace", *arguments],
            "cwd": str(cwd),
            "environment": dict(os.environ),
            "streams": [os.devnull, str(out), str(err)],
        }
        ended = subprocess.CompletedProcess(
            ["autograd-lint", "trace", *arguments], _status(asked), out.read_text(), err.read_text()
        )
    if check:
        ended.check_returncode()
    return ended


def _status(asked: dict[str, object]) -> int:
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    print(json.dumps(asked), file=server.stdin, flush=True)
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with the one that asks."""
    command = [sys.executable, "-c", SERVER]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server

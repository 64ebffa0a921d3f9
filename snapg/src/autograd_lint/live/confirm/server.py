"""The process that runs witnesses: torch imported once, one sandboxed child for each job.

Reads a job a line on standard input, writes an outcome a line on standard output. It computes
nothing itself: children of a process that did would hang in torch's thread pool.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from autograd_lint.live.confirm.jobs import Job, Outcome

_GRACE = 3
_TELLING = 3  # seconds of computing for saying what was seen, on a slow machine
_PATIENCE = 3  # seconds that may pass for one of computing: other programs compute as well


def serve() -> None:
    """Serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, 1)
    _preload()
    for line in sys.stdin:
        answers.write(run_job(Job.decode(line)).encode() + "\n")
        answers.flush()


def _preload() -> None:
    import torch
    import torch._dynamo

    import autograd_lint.live.confirm.drive
    import autograd_lint.live.findings
    import autograd_lint.rules.reading  # noqa: F401
    from autograd_lint.rules.registry import all_rules

    all_rules()
    torch.set_num_threads(1)


def run_job(job: Job) -> Outcome:
    """Run a job in a child of its own, and clean up after it."""
    folder = tempfile.mkdtemp(prefix="autograd-lint-witness-")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_child(job, folder, writing)
    os.close(writing)
    try:
        text, in_time = _read(reading, time.monotonic() + _PATIENCE * job.seconds + _GRACE)
    finally:
        os.close(reading)
        _end(child)
        shutil.rmtree(folder, ignore_errors=True)
    if text.endswith("\n"):
        return Outcome.decode(text)
    return Outcome(ended="killed" if in_time else "time")


def _read(descriptor: int, deadline: float) -> tuple[str, bool]:
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return "", False
        part = os.read(descriptor, 1 << 16)
        if not part:
            return b"".join(parts).decode(), True
        parts.append(part)


def _end(child: int) -> None:
    for end in (os.killpg, os.kill):
        try:
            end(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    os.waitpid(child, 0)


def _run_child(job: Job, folder: str, writing: int) -> None:
    """Confine this process, run the job, send the outcome, and end. Never returns."""
    status = 1
    try:
        os.setsid()
        _quieten(folder)
        outcome = _confined(job, folder)
        os.write(writing, (outcome.encode() + "\n").encode())
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _quieten(folder: str) -> None:
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=folder, TMPDIR=folder, OMP_NUM_THREADS="1", MPLBACKEND="Agg")
    os.chdir(folder)


def _confined(job: Job, folder: str) -> Outcome:
    from dataclasses import replace

    from autograd_lint.live.confirm.drive import TimeIsUp, run
    from autograd_lint.live.sandbox import Limits, confine

    def stop(number: int, frame: object) -> None:
        raise TimeIsUp

    readable = {str(Path(job.filename).parent), job.root, folder}
    paths = tuple(sorted(path for path in readable if path))
    limits = Limits(folder, paths, job.seconds + _TELLING, job.memory_megabytes)
    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGPROF, stop)
    lacking = confine(limits, cuda=job.device != "cpu")
    seconds = max(1, job.seconds - 2)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(_PATIENCE * seconds)
    try:
        outcome = run(job)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return replace(outcome, lacking=tuple(lacking))


if __name__ == "__main__":
    serve()

"""The process that runs witnesses: torch imported once, one sandboxed child for each job.

It speaks in frames over standard input and output (see `frames`), and computes nothing itself:
children of a process that did would hang in torch's thread pool. A child never holds the secret of
its own job, and has no way to the client: it is over before the client tells the secret.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import replace
from pathlib import Path

from autograd_lint.live.confirm import frames
from autograd_lint.live.confirm.frames import Broken, Frame, Kind
from autograd_lint.live.confirm.jobs import LONGEST_OUTCOME, Job, Outcome
from autograd_lint.live.confirm.terms import Ready, Terms
from autograd_lint.live.sandbox import namespaces, view
from autograd_lint.live.sandbox.confine import Limits, confine
from autograd_lint.live.sandbox.system import Refused

_GRACE = 3
_ENDING = 1  # seconds that a process may take to end once it has closed what it answers through
_TELLING = 3  # seconds of computing for saying what was seen, on a slow machine
_OF_A_DEVICE = 30  # seconds until it has computed something
_PATIENCE = 2  # seconds that may pass for one of computing: other programs compute as well
_ISOLATED = "witnesses run without PYTHONPATH"
_USED = ("autograd_lint.live.confirm.drive", "autograd_lint.live.findings",
         "autograd_lint.rules.reading", "torch._dynamo")  # fmt: skip


def main() -> None:
    """Serve on the terms that the last argument tells, until standard input ends."""
    Server(Terms(**json.loads(sys.argv[-1]))).serve()


class Server:
    """Runs jobs one after the other."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._lacking: tuple[str, ...] = ()
        self._has_own_files = False
        self._readable: list[str] = []

    def serve(self) -> None:
        """Serve until the client goes."""
        self._go_apart()
        jobs, answers = os.dup(0), os.dup(1)
        silence = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silence, descriptor)
        try:
            self._answer(jobs, answers)
        except Broken:
            return

    def _go_apart(self) -> None:
        """Enter namespaces, if they are ours to make."""
        if self._terms.apart == "own":
            try:
                namespaces.enter(*view.shown(self._terms.cuda))
            except (Refused, OSError, AttributeError) as reason:
                self._lacking = (f"namespaces: {reason}",)
                return
        self._has_own_files = self._terms.apart != "none" and os.path.ismount(view.WORK)
        if not self._has_own_files:
            self._lacking = (self._terms.refused,)

    def _answer(self, jobs: int, answers: int) -> None:
        if self._lacking and (self._terms.strict or self._terms.apart != "none"):
            frames.write(answers, Frame(Kind.READY, Ready(lacking=self._lacking).encode()))
            return
        frames.write(answers, Frame(Kind.READY, self._preload().encode()))
        while True:
            frame = frames.read(jobs)
            if frame.kind is Kind.FILE:
                self._take(frame.body)
            elif frame.kind is Kind.JOB:
                outcome = self._run(frame.body, jobs)
                frames.write(answers, Frame(Kind.DONE))
                secret = frames.read(jobs)
                frames.write(answers, Frame(Kind.ANSWER, secret.body + outcome))

    def _preload(self) -> Ready:
        what = "torch"
        try:
            import torch

            what = "autograd-lint"
            for name in _USED:
                importlib.import_module(name)
            importlib.import_module("autograd_lint.rules.registry").all_rules()
        except Exception as error:  # a broken installation raises what it likes
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            return Ready(error=f"{what} cannot be imported ({_ISOLATED}): {reason}")
        torch.set_num_threads(1)
        cuda = self._terms.cuda and self._has_cuda()
        return Ready(torch.__version__, cuda, self._lacking)

    def _has_cuda(self) -> bool:
        """Whether a witness can compute on a CUDA device, confined as it is.

        Asked in a child: a process that has asked CUDA cannot have children that use it.
        """
        import torch

        folder = self._new_folder()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(_OF_A_DEVICE)
                os.environ.update(HOME=folder, TMPDIR=folder)
                if torch.cuda.device_count():
                    confine(self._limits(Job("", "", device="cuda"), folder), cuda=True)
                    status = int(torch.ones(1, device="cuda").item() != 1)
            finally:
                os._exit(status)
        try:
            return os.waitpid(child, 0)[1] == 0
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _new_folder(self) -> str:
        """A folder that a witness may write to."""
        inside = view.WORK if self._has_own_files else None
        folder = tempfile.mkdtemp(prefix="autograd-lint-witness-", dir=inside)
        os.chmod(folder, 0o777 if inside else 0o700)  # the witness may be another user
        return folder

    def _take(self, body: bytes) -> None:
        """Let witnesses read a file: put into the file system of our own, where we have one."""
        name, _, data = body.partition(b"\0")
        path = os.fsdecode(name)
        if not self._has_own_files:
            self._readable.append(path)
            return
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as stream:  # never over what is there
                stream.write(data)
        except OSError:
            return  # it belongs to an installed package, and is shown already
        self._readable.append(path)

    def _run(self, body: bytes, client: int) -> bytes:
        """Run a job in a child of its own, clean up after it; returns its outcome, encoded."""
        job = Job.decode(body.decode())
        folder = self._new_folder()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            self._run_child(job, folder, writing)
        os.close(writing)
        status = None
        try:
            told = _told(reading, client, time.monotonic() + _PATIENCE * job.seconds + _GRACE)
            status = None if told else _status(child)
        finally:
            os.close(reading)
            if status is None:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            shutil.rmtree(folder, ignore_errors=True)
        return told or Outcome("killed", error=_ending(status)).encode().encode()

    def _run_child(self, job: Job, folder: str, writing: int) -> None:
        """Confine this process, run the job, send the outcome, and end. Never returns."""
        status = 1
        try:
            os.dup2(writing, 3)
            os.closerange(4, os.sysconf("SC_OPEN_MAX"))
            os.environ.update(HOME=folder, TMPDIR=folder)
            tempfile.tempdir = None
            os.chdir(folder)
            with os.fdopen(3, "wb", closefd=False) as stream:
                stream.write(self._confined(job, folder).encode().encode() + b"\n")
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _confined(self, job: Job, folder: str) -> Outcome:
        from autograd_lint.live.confirm.drive import TimeIsUp, run

        def stop(number: int, frame: object) -> None:
            raise TimeIsUp

        cuda = job.device != "cpu"
        signal.signal(signal.SIGALRM, stop)
        signal.signal(signal.SIGPROF, stop)
        lacking = (*self._lacking, *confine(self._limits(job, folder), cuda))
        if lacking and self._terms.strict:
            return Outcome("refused", lacking=lacking)
        seconds = max(1, job.seconds - 2)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(_PATIENCE * seconds)
        try:
            outcome = run(job)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
        return replace(outcome, lacking=lacking)

    def _limits(self, job: Job, folder: str) -> Limits:
        cuda = job.device != "cpu"
        devices = ("/dev/null", *(view.gpus() if cuda else ()))
        folders = sorted(self._folders(job.root))
        own = self._readable if not self._has_own_files else folders
        return Limits(
            folder,
            readable=(*view.readable(cuda), *own, folder),
            listed=tuple(folders),
            devices=devices,
            seconds=job.seconds + _TELLING,
            memory_megabytes=job.memory_megabytes,
        )

    def _folders(self, root: str) -> set[str]:
        """The folders of the program's files, and those between them and its root, in which imports
        look for packages; in a file system of our own nothing else is there."""
        found = {Path(path).parent for path in self._readable}
        above = {one for folder in found for one in folder.parents if root}
        return {str(one) for one in found | {one for one in above if one.is_relative_to(root)}}


def _told(reading: int, client: int, deadline: float) -> bytes:
    """What a witness says of its run, up to a limit; over when its time is, or the client goes.

    Empty where it ended before it had said all of it.
    """
    parts = bytearray()
    while True:
        wait = deadline - time.monotonic()
        ready = select.select([reading, client], [], [], max(0.0, wait))[0]
        if client in ready:  # nothing is sent while a witness runs: the client has gone
            raise Broken("the client has gone")
        if not ready:
            return Outcome("time").encode().encode()
        part = os.read(reading, 1 << 16)
        parts += part
        if len(parts) > LONGEST_OUTCOME:
            return Outcome("broken").encode().encode()
        if not part:
            break
    return bytes(parts) if parts.endswith(b"\n") else b""


def _status(child: int) -> int | None:
    """The status with which a child has ended; None if it goes on, though it says nothing more."""
    deadline = time.monotonic() + _ENDING
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return None


def _ending(status: int | None) -> str | None:
    """The signal that ended a process, or the code it ended with, as text."""
    if status is None:
        return None
    if status >= 0:
        return f"exit code {status}"
    names = {one.value: one.name for one in signal.Signals}
    return names.get(-status, f"signal {-status}")  # those of real time have no names


if __name__ == "__main__":
    main()

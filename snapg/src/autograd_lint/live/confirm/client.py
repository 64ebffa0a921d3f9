"""Talks to the process that runs witnesses."""

from __future__ import annotations

import os
import subprocess
import sys
from types import TracebackType

from autograd_lint.errors import Trouble
from autograd_lint.live.confirm.jobs import Job, Outcome


class Witnesses:
    """Runs jobs, each once; the process behind it starts with the first and ends with `close`."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None
        self._known: dict[Job, Outcome] = {}

    def run(self, job: Job) -> Outcome:
        """The outcome of a job. Raises Trouble where no witness can be run at all."""
        if job not in self._known:
            self._known[job] = self._ask(job)
        return self._known[job]

    def close(self) -> None:
        """End the process."""
        if self._server is not None:
            self._server.communicate()
            self._server = None

    def __enter__(self) -> Witnesses:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, job: Job) -> Outcome:
        server = self._server or self._start()
        assert server.stdin is not None and server.stdout is not None
        try:
            server.stdin.write(job.encode() + "\n")
            server.stdin.flush()
            answer = server.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._server = None
            raise Trouble("--confirm: the process that runs witnesses ended; is torch usable here?")
        return Outcome.decode(answer)

    def _start(self) -> subprocess.Popen[str]:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "autograd_lint.live.confirm.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )
        return self._server

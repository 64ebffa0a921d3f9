"""Witnesses whose process is a fork of the tests': quicker, and as any user, with no exec.

An ordinary user may not be allowed to read the environment of the tests, so what torch imports
late (`torch.load` does) is imported before the fork.
"""

import os
import traceback
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
import torch.utils.serialization  # noqa: F401

import autograd_lint.live.confirm.drive
import autograd_lint.live.findings
import autograd_lint.rules.reading  # noqa: F401
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.server import Server
from autograd_lint.live.confirm.terms import Ready, Terms
from autograd_lint.live.sandbox import system
from autograd_lint.rules.registry import all_rules

NOBODY = 65534
_PR_SET_DUMPABLE = 4
all_rules()


class Process:
    """As much of `Popen` as the client asks for."""

    def __init__(self, act: Callable[[], Any]) -> None:
        reading, own_out = os.pipe()
        own_in, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                os.dup2(reading, 0)
                os.dup2(writing, 1)
                os.closerange(3, 4096)
                os.environ.clear()
                os.environ["OMP_NUM_THREADS"] = "1"
                os.chdir("/")
                act()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(reading)
        os.close(writing)
        self.stdin, self.stdout = os.fdopen(own_out, "wb", 0), os.fdopen(own_in, "rb", 0)
        self.stderr = None

    def wait(self) -> int:
        return os.waitpid(self.pid, 0)[1]


class ForkedWitnesses(Witnesses):
    """Runs witnesses for the user with this number; `before` is done first of all."""

    def __init__(
        self,
        user: int | None = None,
        before: Callable[[], Any] = lambda: None,
        unconfined: bool = False,
    ) -> None:
        super().__init__(unconfined)
        self._user, self._before = user, before

    def _begin(self, terms: Terms) -> Ready:
        def serve() -> None:
            if self._user is not None and os.getuid() == 0:
                os.setgroups([])
                os.setresgid(self._user, self._user, self._user)
                os.setresuid(self._user, self._user, self._user)
                system.prctl(_PR_SET_DUMPABLE, 1)  # as after the exec that there is not
            self._before()
            Server(terms).serve()

        process: Any = Process(serve)
        assert isinstance(process, Process)
        self._server = process
        return self._greeting()

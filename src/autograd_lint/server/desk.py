"""What is open and what was found in it: checks are made when texts change, and dropped when the
text moves on."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from pygls.workspace import Workspace

from autograd_lint.checking.garbage import sweep, tidy
from autograd_lint.checking.troubles import crashed, too_costly
from autograd_lint.checking.watchdog import limited
from autograd_lint.errors import Dropped, TooCostly
from autograd_lint.immutable import immutable
from autograd_lint.server import programs
from autograd_lint.server.checking import Checking, Result
from autograd_lint.server.programs import Program

PAUSE = 0.1  # seconds that a text has to rest before it is checked
LULL = 0.5  # seconds without a check after which importers of what is open are run
_SWEEP = 100  # checks after which everything is looked at for garbage
_STACK = 64 << 20  # bytes; the usual size for a thread is half a megabyte on some systems

T = TypeVar("T")


@immutable
class _Job:
    """A check under way, and the switch that drops it."""

    task: "asyncio.Task[None]"
    dropped: threading.Event


class Audience(Protocol):
    """Who is told of results."""

    def told(self, uri: str, result: Result | None) -> None:
        """The new result of a program, None when it was closed."""

    def stale(self) -> None:
        """Results that were told are being made anew, and not for a change of their own text."""


class Desk:
    """Keeps one result for every open program.

    Checks are made one after the other in a thread, so that the editor is answered meanwhile.
    """

    def __init__(
        self,
        workspace: Callable[[], Workspace],
        checking: Checking,
        audience: Audience,
    ) -> None:
        self.checking = checking
        self._workspace = workspace
        self._audience = audience
        self._results: dict[str, Result] = {}
        self._jobs: dict[str, _Job] = {}
        self._background: _Job | None = None
        self._thread = _thread()
        self._told = 0

    def touch(self, uri: str, pause: float = PAUSE) -> None:
        """Check a program anew, and after it those that import it; a check under way is dropped."""
        self._start(uri, pause, leads=True)

    def touch_all(self) -> None:
        """Check everything that is open anew."""
        for uri in programs.opened(self._workspace()):
            self._start(uri, 0, leads=False)
        self._audience.stale()

    def touch_importers(self, filename: str) -> None:
        """Check those programs anew whose imports asked for a file."""
        importers = [
            uri
            for uri, result in self._results.items()
            if filename in result.trail and result.program.filename != filename
        ]
        for uri in importers:
            self._start(uri, 0, leads=False)
        if importers:
            self._audience.stale()

    def close(self, uri: str) -> None:
        """Forget a program that was closed."""
        self._drop(uri)
        result = self._results.pop(uri, None)
        if result is not None:
            self.checking.close(result.program.filename)
            self._audience.told(uri, None)
            self.touch_importers(result.program.filename)

    async def newest(self, uri: str) -> Result | None:
        """The result for a program as it stands now; None for what is not open."""
        program = programs.read(self._workspace(), uri)
        if program is None:
            return None
        found = self._results.get(uri)
        if uri not in self._jobs and (found is None or found.program != program):
            self._start(uri, 0, leads=False)
        while job := self._jobs.get(uri):
            # Unlike `await job.task` this leaves the check alone when the question is withdrawn.
            await asyncio.wait([job.task])
        return self._results.get(uri)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """What `work` returns, which may use `checking`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def knows(self, uri: str) -> bool:
        """Whether a program was checked since it was opened, or is being checked."""
        return uri in self._results or uri in self._jobs

    def stop(self) -> None:
        """Drop everything that is under way."""
        self._interrupt()
        for uri in list(self._jobs):
            self._drop(uri)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _interrupt(self) -> None:
        """Drop what is done while nothing else is to do."""
        if self._background is not None:
            self._background.dropped.set()
            self._background.task.cancel()
            self._background = None

    def _start(self, uri: str, pause: float, leads: bool) -> None:
        self._interrupt()
        self._drop(uri)
        dropped = threading.Event()
        task = asyncio.get_running_loop().create_task(self._run(uri, pause, dropped, leads))
        self._jobs[uri] = _Job(task, dropped)

    def _drop(self, uri: str) -> None:
        job = self._jobs.pop(uri, None)
        if job is not None:
            job.dropped.set()
            job.task.cancel()

    async def _run(self, uri: str, pause: float, dropped: threading.Event, leads: bool) -> None:
        try:
            await asyncio.sleep(pause)
            program = programs.read(self._workspace(), uri)
            if program is not None:
                result = await self.in_thread(partial(self._checked, program, dropped))
                if result is not None:
                    opened = uri not in self._results
                    self._keep(uri, result, leads)
                    self._clean_up(opened)
        finally:
            if not dropped.is_set():
                del self._jobs[uri]
                self._rest()

    def _rest(self) -> None:
        """Run the importers of what is open once nothing else has been to do for a while."""
        self._interrupt()
        if not self._jobs:
            dropped = threading.Event()
            task = asyncio.get_running_loop().create_task(self._with_importers(dropped))
            self._background = _Job(task, dropped)

    async def _with_importers(self, dropped: threading.Event) -> None:
        await asyncio.sleep(LULL)
        for uri, result in list(self._results.items()):
            work = partial(self._importers_checked, result, dropped)
            found = await self.in_thread(work)
            if found.findings != result.findings or found.trail != result.trail:
                self._results[uri] = found
                self._audience.told(uri, found)
                self._audience.stale()

    def _importers_checked(self, result: Result, dropped: threading.Event) -> Result:
        try:
            return self.checking.with_importers(result, wanted=lambda: not dropped.is_set())
        except Dropped:
            return result
        except TooCostly:
            self.checking.forget()
            return result
        except Exception as error:
            return replace(result, troubles=(crashed(result.program.filename, error),))

    def _clean_up(self, opened: bool) -> None:
        """Let the garbage of a check go once it has been told; imports of what is new are kept."""
        self._told += 1
        self._thread.submit(sweep if opened or self._told % _SWEEP == 0 else tidy)

    def _keep(self, uri: str, result: Result, leads: bool) -> None:
        before = self._results.get(uri)
        self._results[uri] = result
        self._audience.told(uri, result)
        if leads and (before is None or before.program != result.program):
            self.touch_importers(result.program.filename)

    def _checked(self, program: Program, dropped: threading.Event) -> Result | None:
        try:
            with limited():
                return self.checking.check(program, wanted=lambda: not dropped.is_set())
        except Dropped:
            return None
        except TooCostly:
            self.checking.forget()
            return Result(program, troubles=(too_costly(program.filename),))
        except Exception as error:
            return Result(program, troubles=(crashed(program.filename, error),))


def _thread() -> ThreadPoolExecutor:
    """One thread, with room for the parser, which recurses on nested code."""
    before = threading.stack_size(_STACK)
    try:
        executor = ThreadPoolExecutor(1, "check")
        executor.submit(int)  # the thread is made now, while the size holds
    finally:
        threading.stack_size(before)
    return executor

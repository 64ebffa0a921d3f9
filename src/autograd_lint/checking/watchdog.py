"""An end to what costs too much: time of computing and memory of one piece of work.

Work is bounded by steps first, which count the same everywhere; this is for what no step counts.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from autograd_lint.errors import TooCostly

SECONDS = 8  # of computing, for one file
_MEGABYTES = 700  # that may be added while it is checked
_TICK = 0.1  # seconds between looks
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def computed() -> float:
    """The seconds that this thread has computed; where that is not told, this process."""
    return time.thread_time() if hasattr(time, "thread_time") else time.process_time()


@contextmanager
def limited(seconds: float = SECONDS, megabytes: int = _MEGABYTES) -> Iterator[None]:
    """While open, raises TooCostly in this thread once it has computed for so long, or the process
    has grown by so much. Not where a profiler or a debugger looks on, which do not bear it, nor
    where there are no threads, as in a browser."""
    if sys.getprofile() or sys.gettrace() or sys.platform == "emscripten":
        yield
        return
    watch = _Watch(seconds, megabytes)
    watch.start()
    try:
        yield
    finally:
        watch.end()


class _Watch(threading.Thread):
    """Looks at another thread, and interrupts it between two of its instructions.

    The interruption may arrive anywhere, so the two share no lock that one of them may be made to
    forget to give back: one that is released says that the work is over, and a flag that nothing
    will be raised any more.
    """

    def __init__(self, seconds: float, megabytes: int) -> None:
        super().__init__(name="watchdog", daemon=True)
        self._thread = threading.get_ident()
        self._clock = _clock(self._thread)
        self._until = self._clock() + seconds
        self._most = _resident() + (megabytes << 20)
        self._working = threading.Lock()
        self._working.acquire()
        self._raised = False
        self._gone = False

    def run(self) -> None:
        while not self._working.acquire(timeout=_TICK):
            if self._clock() > self._until or _resident() > self._most:
                self._raised = True
                _raise(self._thread)
        self._gone = True

    def end(self) -> None:
        """Look no more; what was raised arrives before this returns, and goes no further.

        An exception that is only taken back leaves CPython 3.11 looking for it for ever, and where
        it then traces a program it does nothing else (`_PyEval_SignalAsyncExc` in ceval.c).
        """
        while not self._gone:
            with suppress(TooCostly, RuntimeError):  # it may arrive here, and the lock be free
                self._working.release()
                time.sleep(0)
        if self._raised:
            with suppress(TooCostly):
                _raise(self._thread)
                while True:
                    time.sleep(0)


def _raise(thread: int) -> None:
    given = ctypes.py_object(TooCostly)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), given)


def _clock(thread: int) -> Callable[[], float]:
    """The seconds that a thread has computed; where that is not told, those that have passed."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    number = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(number)


def _resident() -> int:
    """The memory of this process, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[1]) * _PAGE
    except OSError:
        return 0

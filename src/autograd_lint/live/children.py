"""Processes that the program starts: those of `multiprocessing` are observed, others are counted.

Each has a tracer of its own, and writes what it finds to a file, which the process that started it
reads. So it goes with what `fork`, `spawn` and `forkserver` start, and with pools and loaders.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from autograd_lint.engine.faults import Fault
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches

if TYPE_CHECKING:
    from autograd_lint.live.tracing import Tracer

_LOADERS = "torch.utils.data."
_TORCH = str(Path(torch.__file__).parent)
_SHEBANG = 128  # bytes of a script that may name its interpreter


@dataclass(frozen=True)
class Told:
    """What a process has found so far, what it did not see, how many processes it has not.

    `messages` are those of the errors that it has explained.
    """

    faults: tuple[Fault, ...] = ()
    messages: tuple[str, ...] = ()
    unseen: tuple[tuple[str, int], ...] = ()
    unobserved: int = 0


@dataclass(frozen=True)
class Way:
    """How a process is observed: see Tracer. It tells what it found in a file of `folder`."""

    folder: str
    backward_calls: int
    program: str | None


class Children:
    """What the processes found that were started while this was open."""

    __slots__ = (
        "__weakref__", "_backward_calls", "_folder", "_is_open", "_patches", "_program", "_told",
        "started",
    )  # fmt: skip

    def __init__(self, backward_calls: int, program: str | None) -> None:
        self.started = 0
        self._backward_calls = backward_calls
        self._program = program
        self._folder: str | None = None
        self._told: tuple[Told, ...] = ()
        self._is_open = False
        self._patches = Patches()
        reference = ref(self)

        def forked() -> None:
            counting = reference()
            if counting is not None and counting._is_open:
                counting.started += 1

        if hasattr(os, "register_at_fork"):  # Windows forks nothing
            os.register_at_fork(after_in_parent=forked)

    @property
    def told(self) -> tuple[Told, ...]:
        """What each observed process has told so far."""
        return self._told if self._folder is None else tuple(_told_in(self._folder))

    @property
    def unobserved(self) -> int:
        """How many processes nothing is known of, those that others started included."""
        told = self.told
        return self.started - len(told) + sum(one.unobserved for one in told)

    def open(self) -> None:
        """Start to observe and to count."""
        self._is_open = True
        self._patches.replace(BaseProcess, "start", self._starting(BaseProcess.start))
        self._patches.replace(subprocess.Popen, "__init__", self._running(subprocess.Popen))

    def close(self) -> None:
        """Leave processes alone; what those that still run will find is not read any more."""
        self._is_open = False
        self._patches.close()
        if self._folder is not None:
            self._told, folder = self.told, self._folder
            self._folder = None
            shutil.rmtree(folder, ignore_errors=True)

    def forget(self) -> None:
        """In a forked process: what others tell is for the process that started them."""
        self._folder = None
        self.close()

    def _starting(self, original: Any) -> Callable[[Any], None]:
        @passes_on
        @wraps(original)
        def start(process: Any) -> None:
            with suppress(Exception):
                process._bootstrap = partial(_observed, process, self._way(process))
            try:
                original(process)
            finally:
                vars(process).pop("_bootstrap", None)
            if getattr(process._popen, "method", "fork") != "fork":  # a fork is counted as such
                self.started += 1

        return start

    def _running(self, popen: Any) -> Callable[..., None]:
        original = popen.__init__

        @passes_on
        @wraps(original)
        def __init__(process: Any, args: Any, *more: Any, **named: Any) -> None:
            original(process, args, *more, **named)
            if runs_python(args):
                self.started += 1

        return __init__

    def _way(self, process: Any) -> Way:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="autograd-lint-")
        # What loads data runs as long as training, and calls no backward after which to stop.
        loads = getattr(process._target, "__module__", "").startswith(_LOADERS)
        return Way(self._folder, 0 if loads else self._backward_calls, self._program)


class Telling:
    """Writes what a tracer has found to a file of its own."""

    def __init__(self, tracer: Tracer, folder: str) -> None:
        self._tracer = tracer
        self._path = Path(folder) / f"{os.getpid()}-{time.monotonic_ns()}"

    def tell(self) -> None:
        """Write all that is known by now."""
        tracer = self._tracer
        told = Told(
            tuple(tracer.faults),
            tuple(tracer.messages),
            tuple(tracer.unseen.items()),
            tracer.children,
        )
        half = self._path.with_suffix(".half")
        with suppress(OSError):  # nobody is interested any more
            half.write_bytes(pickle.dumps(told))
            half.replace(self._path)

    def end(self) -> None:
        """The process has done what it was started for."""
        self._tracer.stop()
        self.tell()


@passes_on
def _observed(process: Any, way: Way, *args: Any, **named: Any) -> Any:
    """What a started process runs, under a tracer."""
    vars(process).pop("_bootstrap", None)
    telling = None
    with suppress(Exception):  # the program is to go on
        telling = _begun(process, way)
    try:
        return process._bootstrap(*args, **named)
    finally:
        if telling is not None:
            with suppress(Exception):
                telling.end()


def _begun(process: Any, way: Way) -> Telling:
    from autograd_lint.live.tracing import Tracer

    tracer = Tracer(way.backward_calls, way.program)
    telling = Telling(tracer, way.folder)
    tracer.told = telling.tell
    telling.tell()
    process.run = partial(_noted, tracer, process.run)
    tracer.start()
    return telling


@passes_on
def _noted(tracer: Tracer, run: Callable[[], Any]) -> Any:
    """Run what a process is for, and note what it raises."""
    try:
        return run()
    except Exception as error:
        tracer.note_error(error)
        raise


def _told_in(folder: str) -> Iterator[Told]:
    for file in sorted(Path(folder).iterdir()):
        if file.suffix != ".half":
            told = pickle.loads(file.read_bytes())
            if isinstance(told, Told):
                yield told


def runs_python(command: Any) -> bool:
    """Whether a command runs a program in Python, which may use torch; not one of torch's own."""
    with suppress(Exception):  # whatever the program has handed over
        words = [os.fsdecode(one) for one in ([command] if _is_path(command) else command)]
        if any(one.startswith(_TORCH) for one in words[1:2]):
            return False  # a helper of the compiler
        name = shutil.which(words[0]) or words[0]
        if name == sys.executable or Path(name).name.startswith("python"):
            return True
        with open(name, "rb") as program:
            first = program.readline(_SHEBANG)
        return first.startswith(b"#!") and b"python" in first
    return False


def _is_path(command: Any) -> bool:
    return isinstance(command, (str, bytes, os.PathLike))

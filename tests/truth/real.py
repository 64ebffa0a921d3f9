"""What the real engine says of a program."""

import contextlib
import dataclasses
import gc
import io
import os
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.messages import classify

FILENAME = "program.py"


@dataclass(frozen=True)
class Verdict:
    """What came of a run: the class of error and the innermost place in the program, or no error.

    `valid` is False when something other than autograd stopped the program. `executed` are the
    places, as file name and row, that the run came to.
    """

    kind: FaultKind | None = None
    row: int | None = None
    filename: str | None = None
    message: str = ""
    valid: bool = True
    executed: frozenset[tuple[str, int]] = frozenset()


def run(text: str, files: Mapping[str, str] | None = None, seconds: int = 5) -> Verdict:
    """Runs a program in this process, in fresh grad mode, for at most so many seconds.

    `files` are the files of the packages that the program imports, by path.
    """
    with TemporaryDirectory() as folder:
        for name, content in (files or {}).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        with _importable(folder):
            return _run(text, folder, seconds)


def _run(text: str, folder: str, seconds: int) -> Verdict:
    names = {"__name__": "__main__", "__file__": FILENAME}
    executed: set[tuple[str, int]] = set()
    # What an earlier program left suspended changes the grad mode as it is collected.
    gc.disable()
    torch.set_grad_enabled(True)
    try:
        with quiet(), _limit(seconds), _watched(executed, folder):
            exec(compile(text, FILENAME, "exec"), names)
    except Exception as error:
        return dataclasses.replace(_verdict(error, folder), executed=frozenset(executed))
    finally:
        gc.enable()
        torch.set_grad_enabled(True)
    return Verdict(executed=frozenset(executed))


@contextlib.contextmanager
def _importable(folder: str) -> Iterator[None]:
    """Lets imports find the files of a folder, and forgets what was imported from it."""
    known, writes = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.path.remove(folder)
        sys.path_importer_cache.pop(folder, None)
        sys.dont_write_bytecode = writes
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(folder):
                del sys.modules[name]


def _name(filename: str, folder: str) -> str | None:
    """What a file of the program is called; None for any other file."""
    if filename == FILENAME:
        return FILENAME
    return os.path.relpath(filename, folder) if filename.startswith(folder) else None


def _verdict(error: Exception, folder: str) -> Verdict:
    message = f"{type(error).__name__}: {error}".split("\n")[0][:300]
    kind = classify(error)
    frames = traceback.extract_tb(error.__traceback__)
    mine = [(frame.lineno, name) for frame in frames if (name := _name(frame.filename, folder))]
    if kind is None or not mine:
        return Verdict(message=message, valid=False)
    return Verdict(kind, *mine[-1], message)


@contextlib.contextmanager
def _watched(executed: set[tuple[str, int]], folder: str) -> Iterator[None]:
    """Notes every line of the program that is run."""

    def note(frame: types.FrameType, event: str, _: object) -> object:
        name = _name(frame.f_code.co_filename, folder)
        if name is None:
            return None
        executed.add((name, frame.f_lineno))
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        yield
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Swallows what the program prints and warns."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _limit(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

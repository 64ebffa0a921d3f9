"""What the real engine says of a program."""

import contextlib
import dataclasses
import gc
import io
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.messages import classify

FILENAME = "program.py"
PARTS = "parts.py"


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


def run(text: str, parts: str = "", seconds: int = 5) -> Verdict:
    """Runs a program in this process, in fresh grad mode, for at most so many seconds.

    `parts` is the text of a second file that the program imports as `parts`.
    """
    names = {"__name__": "__main__", "__file__": FILENAME}
    executed: set[tuple[str, int]] = set()
    sys.modules["parts"] = module = types.ModuleType("parts")
    # What an earlier program left suspended changes the grad mode as it is collected.
    gc.disable()
    torch.set_grad_enabled(True)
    try:
        with quiet(), _limit(seconds), _watched(executed):
            exec(compile(parts, PARTS, "exec"), vars(module))
            exec(compile(text, FILENAME, "exec"), names)
    except Exception as error:
        return dataclasses.replace(_verdict(error), executed=frozenset(executed))
    finally:
        gc.enable()
        torch.set_grad_enabled(True)
        del sys.modules["parts"]
    return Verdict(executed=frozenset(executed))


def _verdict(error: Exception) -> Verdict:
    message = f"{type(error).__name__}: {error}".split("\n")[0][:300]
    kind = classify(error)
    frames = traceback.extract_tb(error.__traceback__)
    mine = [frame for frame in frames if frame.filename in (FILENAME, PARTS)]
    if kind is None or not mine:
        return Verdict(message=message, valid=False)
    return Verdict(kind, mine[-1].lineno, mine[-1].filename, message)


@contextlib.contextmanager
def _watched(executed: set[tuple[str, int]]) -> Iterator[None]:
    """Notes every line of the program that is run."""

    def note(frame: types.FrameType, event: str, _: object) -> object:
        if frame.f_code.co_filename not in (FILENAME, PARTS):
            return None
        executed.add((frame.f_code.co_filename, frame.f_lineno))
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

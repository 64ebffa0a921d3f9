"""What the real engine says of a program."""

import contextlib
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

    `valid` is False when something other than autograd stopped the program.
    """

    kind: FaultKind | None = None
    row: int | None = None
    filename: str | None = None
    message: str = ""
    valid: bool = True


def run(text: str, parts: str = "", seconds: int = 5) -> Verdict:
    """Runs a program in this process, in fresh grad mode, for at most so many seconds.

    `parts` is the text of a second file that the program imports as `parts`.
    """
    names = {"__name__": "__main__", "__file__": FILENAME}
    sys.modules["parts"] = module = types.ModuleType("parts")
    try:
        with quiet(), _limit(seconds):
            exec(compile(parts, PARTS, "exec"), vars(module))
            exec(compile(text, FILENAME, "exec"), names)
    except Exception as error:
        return _verdict(error)
    finally:
        torch.set_grad_enabled(True)
        del sys.modules["parts"]
    return Verdict()


def _verdict(error: Exception) -> Verdict:
    message = f"{type(error).__name__}: {error}".split("\n")[0][:300]
    kind = classify(error) if isinstance(error, RuntimeError | ValueError) else None
    frames = traceback.extract_tb(error.__traceback__)
    mine = [frame for frame in frames if frame.filename in (FILENAME, PARTS)]
    if kind is None or not mine:
        return Verdict(message=message, valid=False)
    return Verdict(kind, mine[-1].lineno, mine[-1].filename, message)


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

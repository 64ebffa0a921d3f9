"""Which fixes keep what a program computes: values and gradients before and after, on torch.

`python -m benchmarks.safe_fixes FOLDER...`: every fix that is offered for a program below the
folders is applied by itself, and the program is run before and after with the same seed. Compared
are the tensors, gradients and numbers that its names lead to at its end, or at an assertion that
shows the mistake. A program that raises anything else before the fix computes nothing that could be
kept, and is left out.
"""

import argparse
import io
import multiprocessing
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.fixes.editing import Document
from autograd_lint.project.modules import Project

_SECONDS = 60
_DEPTH = 4  # containers within each other that are looked into
State = dict[str, str]
"""What names lead to, as texts that are equal where the values are."""


def offered(path: Path, data: bytes) -> list[Finding]:
    """The findings of a program that have fixes."""
    checker = Checker(Settings(certainty=Certainty.LIKELY), Project.alone())
    return [one for one in checker.data(data, str(path)).findings if one.fix and one.fix.edits]


def state(path: Path, text: str) -> State | None:
    """What a program has computed at its end; None where it raises or does not end."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(path, text, theirs))
    child.start()
    theirs.close()
    try:
        found: State | None = ours.recv() if ours.poll(_SECONDS) else None
    except EOFError:
        found = None
    child.kill()
    child.join()
    return found


def _child(path: Path, text: str, answer: Connection) -> None:
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(path.parent))
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            exec(compile(text, "program.py", "exec"), names)
        except AssertionError:
            pass  # what shows the mistake stands at the end, and fails once it is fixed
        except BaseException:
            answer.send(None)
            return
        own = {name: value for name, value in names.items() if not name.startswith("__")}
        answer.send({name: _shown(value, _DEPTH) for name, value in own.items()})


def _shown(value: Any, depth: int) -> str:
    """A value as text: tensors with their gradients, and what containers and modules hold."""
    import torch

    if isinstance(value, torch.Tensor):
        grad = value.grad if value.is_leaf else None
        return f"{value.detach()!r} {_shown(grad, depth)}"
    if isinstance(value, torch.nn.Module):
        return _shown({**dict(value.named_parameters()), **dict(value.named_buffers())}, depth)
    if depth and isinstance(value, dict):
        return str({key: _shown(one, depth - 1) for key, one in value.items()})
    if depth and isinstance(value, list | tuple):
        return str([_shown(one, depth - 1) for one in value])
    return repr(value) if isinstance(value, int | float | str | bool) else type(value).__name__


def judged(path: Path, codes: list[str] | None = None) -> Iterator[tuple[Finding, str]]:
    """Each finding with a fix, of these codes if any are given, and what the fix does: `same`,
    `other`, or `raises`."""
    try:
        data = path.read_bytes()
        found = [one for one in offered(path, data) if codes is None or one.code in codes]
    except (OSError, UnicodeDecodeError):
        return
    document = Document.of(data) if found else Document("")
    before = state(path, document.text) if found else None
    if before is None:
        return
    for finding in found:
        after = state(path, document.edited(finding.fix.edits if finding.fix else ()).text)
        kept = after is not None and all(after.get(name) == text for name, text in before.items())
        yield finding, "raises" if after is None else "same" if kept else "other"


def main() -> None:
    """Print how often the fixes of each rule kept everything, by certainty."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument(
        "--list", action="store_true", help="tell each fix that changes something"
    )
    arguments.add_argument("--code", action="append", help="try the fixes of these rules only")
    options = arguments.parse_args()
    import torch  # noqa: F401  (the children inherit it)

    counted = Counter[tuple[str, str, str]]()
    for path in (path for folder in options.folders for path in sorted(folder.rglob("*.py"))):
        for finding, verdict in judged(path, options.code):
            counted[finding.code, finding.certainty.value, verdict] += 1
            if options.list and verdict != "same":
                print(f"{path}:{finding.place.row}: {finding.code} {verdict}", flush=True)
    for code, certainty in sorted({(code, certainty) for code, certainty, _ in counted}):
        shares = {one: counted[code, certainty, one] for one in ("same", "other", "raises")}
        print(f"{code} {certainty}: " + ", ".join(f"{n} {one}" for one, n in shares.items()))


if __name__ == "__main__":
    main()

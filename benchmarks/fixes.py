"""What fixes are worth: programs that are mended by them run clean on the real engine.

`python -m benchmarks.fixes FOLDER [--list] [--only TEXT]`: every program below FOLDER that a fix is
offered for is fixed (unsafe ones too) until nothing is left to fix, run on torch before and after,
and checked again. A program that raises nothing shows by an assertion (in it, or in the `observe`
of its `case.json`) that its gradients are wrong: after the fix that assertion has to fail. It is
quiet if all that is still found was found before, and is of a kind that no fix was offered for.
"""

import argparse
import json
import multiprocessing
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.project.modules import Project

_SECONDS = 120
GOOD = ("mended", "runs as before", "another mistake is left")


@dataclass(frozen=True)
class Mended:
    """One program: the codes whose fixes were applied, how it ran then, the codes that are new or
    were to be fixed."""

    path: Path
    codes: tuple[str, ...]
    verdict: str
    left: tuple[str, ...]


def mend(path: Path) -> Mended | None:
    """The program at `path` with its fixes, run; None where no fix is offered."""
    text = path.read_text(encoding="utf-8")
    found = _findings(str(path), text)
    if not any(finding.fix for finding in found):
        return None

    checker = _checker()
    again = partial(checker.again, str(path))
    fixed = apply(text.encode(), str(path), found, again, unsafe=True).data.decode()
    remaining = Counter(finding.code for finding in _findings(str(path), fixed))
    codes = Counter(finding.code for finding in found if finding.fix) - remaining
    left = remaining - Counter(finding.code for finding in found if not finding.fix)
    before, after = _run(path, text), _run(path, fixed)
    verdict = _verdict(before, after) if fixed != text else "no fix applied"
    if before == after and any(finding.predicts and not finding.fix for finding in found):
        verdict = "another mistake is left"
    return Mended(path, tuple(sorted(codes)), verdict, tuple(sorted(left)))


def _findings(name: str, text: str) -> tuple[Finding, ...]:
    return _checker().data(text.encode(), name).findings


def _checker() -> Checker:
    return Checker(Settings(certainty=Certainty.LIKELY), Project.alone())


def _verdict(before: str, after: str) -> str:
    if not before:
        return "runs as before" if not after else f"breaks: {after}"
    if before == "silent":
        return "still silent" if after == "silent" else (after or "mended")
    return "mended" if after in ("", "silent") else f"raises: {after}"


def _run(path: Path, text: str) -> str:
    """How a program ends: empty for well, `silent` for a gradient that is shown to be wrong, or
    the error."""
    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_child, args=(path, text, _observation(path), theirs)
    )
    child.start()
    theirs.close()
    try:
        outcome = str(ours.recv()) if ours.poll(_SECONDS) else "no end"
    except EOFError:
        outcome = "the process died"
    child.kill()
    child.join()
    return outcome


def _observation(path: Path) -> str:
    """Statements that pass where a gradient is wrong."""
    case = path.with_name("case.json")
    document = json.loads(case.read_text()) if case.is_file() else {}
    observed = document.get("observe", "")
    return observed if isinstance(observed, str) else "\n".join(observed)


def _child(path: Path, text: str, observe: str, answer: Connection) -> None:
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(path.parent))
    with open(os.devnull, "w") as nowhere, TemporaryDirectory() as folder:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        os.chdir(folder)
        answer.send(_outcome(text, observe, shows="silent" in str(path.parent)))
        answer.close()


def _outcome(text: str, observe: str, shows: bool) -> str:
    """How it ends. `shows`: the program ends with an assertion that the gradient is wrong."""
    names = {"__name__": "__main__", "__file__": "program.py"}
    try:
        exec(compile(text, "program.py", "exec"), names)
    except AssertionError as error:
        return "" if shows else f"AssertionError: {error}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}".split("\n")[0][:160]
    if not observe:
        return "silent" if shows and "assert" in text else ""
    try:
        exec(compile(observe, "observe", "exec"), names)
    except AssertionError:
        return ""
    return "silent"


def programs(root: Path, only: str) -> Iterator[Path]:
    """The programs below a folder whose path holds `only`."""
    yield from (path for path in sorted(root.rglob("*.py")) if only in str(path))


def main() -> None:
    """Print how the programs with fixes ran, by code."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--list", action="store_true", help="tell each program that is not well")
    options = arguments.parse_args()
    import torch  # noqa: F401  (the children inherit it)

    tried = Counter[str]()
    well = Counter[str]()
    quiet = Counter[str]()
    for path in programs(options.folder, options.only):
        result = mend(path)
        if result is None:
            continue
        good = result.verdict in GOOD
        for code in (*result.codes, "all"):
            tried[code] += 1
            well[code] += good
            quiet[code] += not result.left
        if options.list and not (good and not result.left):
            name = path.relative_to(options.folder)
            print(f"{name}: {','.join(result.codes)}: {result.verdict}; left {result.left}")
    for code in sorted(tried):
        print(f"{code}: {tried[code]} programs fixed, {well[code]} run well, {quiet[code]} quiet")


if __name__ == "__main__":
    main()

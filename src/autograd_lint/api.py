"""What `autograd_lint` offers to Python programs; `import autograd_lint` imports none of it before
it is used."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from autograd_lint.errors import Trouble as Trouble
from autograd_lint.findings import Assumed as Assumed
from autograd_lint.findings import Certainty as Certainty
from autograd_lint.findings import Confirmation as Confirmation
from autograd_lint.findings import Edit as Edit
from autograd_lint.findings import Finding as Finding
from autograd_lint.findings import Fix as Fix
from autograd_lint.findings import Prediction as Prediction
from autograd_lint.findings import Related as Related
from autograd_lint.findings import Severity as Severity
from autograd_lint.places import Place as Place

if TYPE_CHECKING:
    from autograd_lint.live.block import Block
    from autograd_lint.live.block import Report as Report

Name = str | os.PathLike[str]


def check(
    paths: Name | Iterable[Name] = ".",
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    extend_ignore: Sequence[str] = (),
    per_file_ignores: Mapping[str, Sequence[str]] | None = None,
    exclude: Sequence[str] = (),
    force_exclude: bool = False,
    certainty: str | None = None,
    target_torch: str | None = None,
    preview: bool = False,
    confirm: bool = False,
    device: str = "cpu",
    baseline: Name | None = None,
    config: Name | None = None,
    isolated: bool = False,
    jobs: int | None = 1,
    cache: bool = True,
) -> list[Finding]:
    """The findings in files, folders and notebooks, as `autograd-lint check` tells them.

    The parameters are the options of the command. `target_torch` is the version of torch that the
    code is written for (`"2.8"`), by default what its project pins or has installed. `jobs` is how
    many processes are used, None for as many as there are cores: a program that calls this then
    needs `if __name__ == "__main__":` where processes are spawned. `confirm` tries each finding on
    the real engine (needs torch), and leaves out what it refutes.

    Raises Trouble for wrong options, a wrong configuration and a path that is not there. Warns
    (RuntimeWarning) of a file that could not be read or whose analysis crashed; the others still
    have their findings.
    """
    from autograd_lint.checking.request import Request
    from autograd_lint.cli.running import gathered

    given = (paths,) if isinstance(paths, (str, os.PathLike)) else tuple(paths)
    for path in given:
        if not os.path.lexists(path):
            raise Trouble(f"{os.fspath(path)}: no such file or directory; check the path")
    request = Request(
        paths=tuple(os.fspath(path) for path in given),
        select=tuple(select),
        ignore=tuple(ignore),
        extend_select=tuple(extend_select),
        extend_ignore=tuple(extend_ignore),
        per_file_ignores=tuple(_per_file(per_file_ignores or {})),
        exclude=tuple(exclude),
        force_exclude=force_exclude,
        certainty=Certainty(certainty).value if certainty else None,
        target_torch=target_torch,
        preview=preview,
        confirm=confirm,
        device=device if confirm else None,
        baseline=os.fspath(baseline) if baseline is not None else None,
        config=os.fspath(config) if config is not None else None,
        isolated=isolated,
        jobs=jobs,
        no_cache=not cache,
        quiet=True,
    )
    return gathered(request, _warn).findings


def _per_file(ignores: Mapping[str, Sequence[str]]) -> Iterator[str]:
    return (f"{pattern}:{','.join(codes)}" for pattern, codes in ignores.items())


def _warn(trouble: str) -> None:
    warnings.warn(trouble, RuntimeWarning, stacklevel=2)


def diagnose(error: str | BaseException, paths: Name | Iterable[Name] = ()) -> list[Finding]:
    """The findings that explain an error of autograd, the likeliest first.

    `error` is what Python printed, whole or in part, or the exception itself. `paths` are the
    program's files and folders; by default the project around the frames of the traceback, else
    the working directory. Nothing is run. Empty where the text does not speak of autograd.

    Raises Trouble for a path that is not there.
    """
    from dataclasses import replace
    from pathlib import Path
    from traceback import format_exception

    from autograd_lint.diagnosis.diagnosing import Request
    from autograd_lint.diagnosis.diagnosing import diagnose as diagnosed

    text = error if isinstance(error, str) else "".join(format_exception(error))
    given = (paths,) if isinstance(paths, (str, os.PathLike)) else tuple(paths)
    found = diagnosed(Request(text, tuple(map(Path, given))))
    if found is None:
        return []
    ranked = found.ranked.candidates
    return [replace(one.finding, probability=one.probability) for one in ranked]


def trace(*, backward_calls: int = 30, whole: bool = False) -> Block:
    """Watch the real engine in a `with` block (needs torch 2.4 or later).

    The program's own results, errors and warnings stay as they are; what goes wrong is in the
    report that `with ... as report` gives when the block has ended. Blocks may stand inside of
    others, and run in several threads: each has a report of its own.

    `backward_calls` is how many calls of backward are observed in full (-1: all, 0: only failures
    are looked into). `whole` says that the block is a whole training run: parameters that never got
    a gradient, and what else shows only at the end, are told as well.

    Raises Trouble where torch is missing or too old.
    """
    from autograd_lint.live import oldest

    oldest.require("trace")
    from autograd_lint.live.block import Block

    return Block(backward_calls, whole=whole)


def __getattr__(name: str) -> object:
    """`Report` comes with torch, which only tracing needs."""
    if name != "Report":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autograd_lint.live.block import Report

    return Report

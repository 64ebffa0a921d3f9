"""Many files at once: a pool of processes, each with a checker of its own."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from autograd_lint.check import Checked, Checker, Machinery, standard_machinery
from autograd_lint.config import Settings
from autograd_lint.errors import Trouble
from autograd_lint.project.modules import Project

_WORTH_A_POOL = 1_000_000  # bytes of source below which starting processes costs more than it gives
_MOST = 8


@dataclass(frozen=True)
class Plan:
    """What a process needs to make its checker; it travels by pickle."""

    settings: Settings
    roots: tuple[Path, ...]
    machinery: Callable[[], Machinery] = standard_machinery

    def checker(self) -> Checker:
        """A checker of its own, with a project of its own."""
        return Checker(self.settings, Project(self.roots), self.machinery)


def check_files(files: Sequence[Path | Trouble], plan: Plan, jobs: int | None) -> Iterator[Checked]:
    """Check `files` in their order; troubles of the discovery pass through.

    `jobs` None means: as many processes as there are cores, if the files are worth it.
    """
    processes = jobs or _sensible(files)
    if processes == 1 or len(files) < 2:
        tune_collector()
        checker = plan.checker()
        yield from (_check(checker, file) for file in files)
    else:
        yield from _pooled(files, plan, processes)


def tune_collector() -> None:
    """Make the garbage collector rare: trees live as long as their file is looked at."""
    gc.freeze()
    gc.set_threshold(100_000)


def _sensible(files: Sequence[Path | Trouble]) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if not cores or cores == 1:
        return 1
    size = 0
    for file in files:
        size += _size(file)
        if size > _WORTH_A_POOL:
            return min(cores, _MOST)
    return 1


def _size(file: Path | Trouble) -> int:
    try:
        return 0 if isinstance(file, Trouble) else file.stat().st_size
    except OSError:
        return 0


def _check(checker: Checker, file: Path | Trouble) -> Checked:
    if isinstance(file, Trouble):
        return Checked("", trouble=str(file))
    return checker.file(file)


def _pooled(files: Sequence[Path | Trouble], plan: Plan, processes: int) -> Iterator[Checked]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    chunk = max(1, min(16, len(files) // (processes * 8)))
    try:
        with ProcessPoolExecutor(processes, initializer=tune_collector) as pool:
            yield from pool.map(partial(_check_one, plan), files, chunksize=chunk)
    except BrokenProcessPool:
        raise Trouble("a worker process was killed (memory?); run with --jobs 1") from None


def _check_one(plan: Plan, file: Path | Trouble) -> Checked:
    return _check(_checker_of(plan), file)


@cache
def _checker_of(plan: Plan) -> Checker:
    """The checker of a worker process, which keeps it from file to file."""
    return plan.checker()

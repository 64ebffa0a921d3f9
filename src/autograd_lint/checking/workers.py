"""Many files at once: what the cache knows, and the rest in a pool of processes."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Generator, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint import disk
from autograd_lint.checking.checked import Checked, unreadable
from autograd_lint.checking.desk import Desk, Plan
from autograd_lint.checking.executors import PROCESSES, connected
from autograd_lint.checking.gathering import Gathering
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.errors import Trouble
from autograd_lint.project import gate
from autograd_lint.vm.budget import ELSEWHERE

if TYPE_CHECKING:  # A run on files that the gate rejects, or that have not changed, checks nothing.
    from concurrent.futures import Executor

    from autograd_lint.checking.cache import Cache

_WORTH_A_POOL = 100_000  # bytes of source below which starting processes costs more than it gives
_MOST = 8
_MANY = 20


def check_files(
    files: Sequence[Path | Trouble],
    plan: Plan,
    jobs: int | None = None,
    folder: Path | None = None,
    elsewhere: Set[str] = frozenset(),
    executor: str = PROCESSES,
) -> Generator[Checked]:
    """Check `files` in their order; troubles of the discovery pass through.

    After them comes what the runs of other files of their projects show in them: of a file there
    may be several results. `jobs` None means: as many processes as there are cores, if the files
    are worth it; `executor` names another place for the work. `folder` is where the cache lies,
    None for no cache. What the runs of files show that are checked `elsewhere` is told there.
    """
    desk = plan.desk()
    shelf = _Shelf(plan, desk, folder, many=len(files) >= _MANY)
    known = [shelf.look_up(file) for file in files]
    rest = [
        file
        for file, found in zip(files, known, strict=True)
        if found is None and isinstance(file, Path)
    ]
    if executor == PROCESSES:
        fresh = _check_all(rest, plan, desk, jobs or _sensible(shelf.size))
    else:
        fresh = _sent(rest, plan, executor)
    importers = _Importers(desk, shelf, _Shelf(plan, desk, folder, many=False, part="importers"))
    seen = Gathering(desk.project, importers.check, elsewhere)
    try:
        for found in known:
            checked = found or shelf.kept(next(fresh))
            seen.add(checked)
            yield seen.near(checked)
        yield from seen.found()
    finally:
        shelf.close()  # what an interrupted run has found is found
        importers.shelf.close()


@dataclass(frozen=True)
class _Importers:
    """Checks files for the sake of those that they import: as far as their budget goes.

    `known` holds results for whole files, `shelf` those for as much as the budget lets be run.
    """

    desk: Desk
    known: _Shelf
    shelf: _Shelf

    def check(self, path: Path) -> Checked:
        """What the runs over a file show."""
        found = self.known.look_up(path) or self.shelf.look_up(path)
        return found or self.shelf.kept(self.desk.check(path, ELSEWHERE))


class _Shelf:
    """What is known of files without an analysis; `size` counts the bytes of the others.

    Of `many` files the cache is asked before any is read. Of few it is cheaper to read them, and to
    open the cache for what the gate lets through. `part` tells apart results of different kinds.
    """

    def __init__(
        self, plan: Plan, desk: Desk, folder: Path | None, *, many: bool, part: str = ""
    ) -> None:
        self._many = many
        self._plan = plan
        self._desk = desk
        self._part = part
        # What other machinery than the package's own finds says nothing for the next run.
        self._folder = folder if plan.machinery is standard_machinery else None
        self.size = 0

    @cached_property
    def _cache(self) -> Cache | None:
        if self._folder is None:
            return None
        from autograd_lint.checking.cache import Cache

        return Cache(self._folder, self._plan.settings, self._part)

    def look_up(self, file: Path | Trouble) -> Checked | None:
        """The result for a file that the gate rejects, or cannot be read, or has not changed."""
        if isinstance(file, Trouble):
            return Checked("", trouble=str(file))
        name, origin = str(file), partial(self._desk.origin, self._desk.home(file))
        try:
            state = os.stat(name)
            if stat.S_ISFIFO(state.st_mode):
                return None  # a pipe can be read only once
            if self._many and (cache := self._cache):
                found = cache.by_state(name, state, origin)
                if found is not None:
                    return found
            data = disk.read(file)
        except OSError as error:
            return Checked(name, trouble=unreadable(file, error))
        return self._by_content(name, state, origin, data)

    def _by_content(
        self, name: str, state: os.stat_result, origin: Callable[[], str], data: bytes
    ) -> Checked | None:
        if not (gate.mentions_torch(data) or gate.may_run_others(data)):
            if self._many and self._cache:
                self._cache.reject(name, state)
            return Checked(name)
        found = self._cache.by_content(name, state, origin, data) if self._cache else None
        self.size += 0 if found else len(data)
        return found

    def kept(self, checked: Checked) -> Checked:
        """The same result, remembered for the next time."""
        if self._cache:
            self._cache.put(checked)
        return checked

    def close(self) -> None:
        """Write what is to be remembered."""
        if "_cache" in vars(self) and self._cache:
            self._cache.write()


def _sensible(size: int) -> int:
    if size < _WORTH_A_POOL:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, _MOST)


def _check_all(files: Sequence[Path], plan: Plan, desk: Desk, processes: int) -> Iterator[Checked]:
    """Check files in so many processes; one alone is this one, at its own `desk`."""
    if processes > 1 and len(files) > 1:
        yield from _pooled(files, plan, processes)
        return
    for file in files:
        yield desk.check(file)


def _pooled(files: Sequence[Path], plan: Plan, processes: int) -> Iterator[Checked]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    chunk = max(1, min(4, len(files) // (processes * 8)))
    pool = ProcessPoolExecutor(processes, initializer=_begin)
    try:
        yield from pool.map(partial(_check_one, plan), files, chunksize=chunk)
    except BrokenProcessPool:
        raise Trouble("a worker process was killed (memory?); run with --jobs 1") from None
    except (KeyboardInterrupt, GeneratorExit):
        _stop(pool)
        raise
    finally:
        pool.shutdown()


def _sent(files: Sequence[Path], plan: Plan, executor: str) -> Iterator[Checked]:
    """Check files on the workers of a cluster, which see them under the same paths."""
    if files:
        with connected(executor) as cluster:
            yield from cluster.map(partial(_check_one, plan), files)


def _stop(pool: Executor) -> None:
    """End the workers at once, whatever they are at."""
    from multiprocessing import active_children

    hook = threading.excepthook
    # The pool's thread takes it for a breakdown, and may stumble over results that were cancelled.
    threading.excepthook = lambda _: None
    try:
        for child in active_children():
            child.terminate()
        pool.shutdown()
    finally:
        threading.excepthook = hook


def _begin() -> None:
    """Make a worker ready: an interruption ends it, and its parent tells of it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _check_one(plan: Plan, file: Path) -> Checked:
    return _desk_of(plan, threading.get_ident()).check(file)


@cache
def _desk_of(plan: Plan, thread: int) -> Desk:
    """The desk of a worker, which keeps it from file to file: workers may be threads."""
    return plan.desk()

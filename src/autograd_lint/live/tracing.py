"""The tracer: a dispatch mode for each thread, and a hand on every call of the engine."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from torch.autograd import graph as torch_graph

from autograd_lint.engine.faults import Fault
from autograd_lint.live.aside import Aside
from autograd_lint.live.attention import DEFAULT_CALLS, Attention
from autograd_lint.live.backward import EngineCalls
from autograd_lint.live.children import Children
from autograd_lint.live.exposure import Exposures
from autograd_lint.live.kept import Inventory
from autograd_lint.live.moments import Moments
from autograd_lint.live.observing.recording import Recording
from autograd_lint.live.own_frames import PlainTracebacks, passes_on
from autograd_lint.live.pitfalls.onlooker import Onlooker
from autograd_lint.live.post_mortem import explain
from autograd_lint.live.private import set_engine, without_grad
from autograd_lint.live.raised import failure_of
from autograd_lint.live.record import Record
from autograd_lint.live.recorder import Recorder
from autograd_lint.live.running_threads import RunningThreads
from autograd_lint.live.sites import Sites
from autograd_lint.live.threads import NewThreads, stop_in_children
from autograd_lint.live.unobserved import Unobserved
from autograd_lint.live.warned import Warnings


class Tracer:
    """Observes everything between `start` and `stop` (or inside of a `with`).

    `backward_calls` is how many calls of backward are observed in full, fewer where they are alike
    (`attention.py`): 0 looks only into failures, `WHOLE_RUN` observes all. `program` is a file that
    counts as the user's wherever it lies.
    `inventory` is told what each graph keeps. `pitfalls` says whether to look for what raises
    nothing and is wrong all the same. `recording` keeps what functions are given. `told`, where
    there is one, is called when a call of the engine has failed.
    """

    __slots__ = (
        "__weakref__", "_aside", "_attentions", "_calls", "_children", "_exposures", "_left",
        "_moments", "_onlooker", "_original", "_process", "_recording", "_running", "_threads",
        "_tracebacks", "_unobserved", "_warnings", "record", "sites", "told",
    )  # fmt: skip

    def __init__(
        self,
        backward_calls: int = DEFAULT_CALLS,
        program: str | None = None,
        inventory: Inventory | None = None,
        *,
        pitfalls: bool = True,
        recording: Recording | None = None,
    ) -> None:
        self.record = Record()
        self.sites = Sites(program)
        self.told: Callable[[], None] | None = None
        self._left = backward_calls
        self._attentions: list[Attention] = []
        self._running = RunningThreads()
        self._process = os.getpid()
        self._original: Any = torch_graph._engine_run_backward
        self._exposures = Exposures(self.record, self.sites)
        self._calls = EngineCalls(
            self.record,
            self.sites,
            self._exposures,
            self._running,
            self._count_call,
            inventory=inventory,
        )
        self._unobserved = Unobserved(self._calls)
        self._tracebacks = PlainTracebacks()
        self._warnings = Warnings(self._calls)
        self._moments = Moments(self.record, self.sites, self._recorder)
        self._onlooker = Onlooker(self.record, self.sites) if pitfalls else None
        self._calls.onlooker = self._onlooker
        self._aside = Aside(self._recorder)
        self.sites.discovered = self._discovered
        self._children = Children(backward_calls, program)
        self._recording = recording
        self._threads = NewThreads(self._in_thread)
        stop_in_children(self)

    @property
    def observing(self) -> bool:
        """Whether operators are observed now."""
        return self._left != 0 and self._process == os.getpid()

    @property
    def rounds(self) -> tuple[int, int]:
        """How many calls of backward were made, and before how many of them all operators were
        observed; equal where no recorder has rested."""
        rested = [one for one in self._attentions if one.rests]
        made = sum(one.rounds for one in rested)
        return made, sum(one.observed for one in rested)

    @property
    def has_rested(self) -> bool:
        """Whether operators were not observed for a while, for nothing new was to be expected."""
        return any(one.rests for one in self._attentions)

    @property
    def faults(self) -> list[Fault]:
        """What was found so far, each fault once, here and in processes that were started."""
        seen = [*self._calls.faults, *self.record.found]
        known = {(one.kind, one.place) for one in seen}  # torch has warned of it as well
        silent = self._onlooker.faults if self._onlooker is not None else []
        new = [one for one in silent if (one.kind, one.place) not in known]
        elsewhere = [fault for told in self._children.told for fault in told.faults]
        return list(dict.fromkeys([*seen, *new, *elsewhere]))

    @property
    def unseen(self) -> dict[str, int]:
        """What could not be observed, and how often."""
        unseen = Counter(self.record.unseen)
        for told in self._children.told:
            unseen.update(dict(told.unseen))
        return dict(unseen)

    @property
    def messages(self) -> list[str]:
        """The messages of the errors that were explained, here and in processes that were
        started."""
        elsewhere = (message for told in self._children.told for message in told.messages)
        return [*self._calls.told, *elsewhere]

    @property
    def children(self) -> int:
        """How many processes the program has started that were not observed."""
        return self._children.unobserved

    def start(self) -> None:
        """Begin to observe this thread, and those it starts."""
        self._original = torch_graph._engine_run_backward
        set_engine(self._run_engine)
        self._warnings.open()
        self._tracebacks.open()
        self._children.open()
        if self._recording is not None:
            self._recording.open(self.record)
        if self.observing:
            self._exposures.open()
            self._threads.open()
            self._moments.open()
            self._aside.open()
            if self._onlooker is not None:
                self._onlooker.open()
            self._enter()

    def join(self) -> bool:
        """Observe the running thread too; False where it is observed already, or nothing is."""
        if self._running.here.recorder is not None or not self.observing:
            return False
        self._enter()
        return True

    def leave(self) -> None:
        """Observe it no longer."""
        self._leave()

    def ended(self) -> None:
        """The program has run to its end without an error: what is to be said of all of it?"""
        if self.observing and self._onlooker is not None:
            self._onlooker.at_end(whole=True)

    def stop(self) -> None:
        """Leave torch as it was: what was opened last is closed first."""
        self._stop_observing()
        if self._recording is not None:
            self._recording.close()
        self._children.close()
        self._tracebacks.close()
        self._warnings.close()
        set_engine(self._original)

    def __enter__(self) -> Tracer:
        self.start()
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()

    def note_error(self, error: BaseException) -> None:
        """Add the fault of an exception that left the program, unless a call has told it."""
        if any(message in str(error) for message in self.messages):
            return
        with self.record.looking("why the program failed"), without_grad():
            failure = failure_of(error, self.sites, self.record)
            if failure is not None:
                self._calls.faults.append(explain(failure, self.record))
                self._calls.told.append(str(error))

    @passes_on
    def _run_engine(self, t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        name, site = frame.f_code.co_name, None
        try:
            site = self.sites.of_frame(frame)
        except Exception as error:
            self.record.stumble(f"where `{name}` was called", error)
        recorder = self._running.here.recorder
        if recorder is not None:
            recorder.resume()  # a step of an optimizer may have failed
        elif not (self._left or self._calls.inventory):
            return self._unobserved.run(self._original, name, site, t_outputs, *args, **kwargs)
        try:
            return self._calls.run(self._original, name, site, t_outputs, *args, **kwargs)
        except BaseException:
            if self.told is not None:
                self.told()
            raise

    def _recorder(self) -> Recorder | None:
        return self._running.here.recorder

    def _discovered(self) -> None:
        recorder = self._running.here.recorder
        if recorder is not None:
            recorder.resting.discovers()

    def _count_call(self, observed: bool) -> None:
        if self._left > 0 and observed:
            self._left -= 1
            if self._left == 0:
                self._stop_observing()

    def _enter(self) -> None:
        attention = Attention() if self._left > 0 else None
        if attention is not None:
            self._attentions.append(attention)
        recorder = Recorder(self.record, self.sites, self._exposures, attention)
        recorder.__enter__()  # type: ignore[no-untyped-call]
        self._running.here.recorder = recorder

    def _leave(self) -> None:
        recorder = self._recorder()
        if recorder is not None and (recorder.is_suspended or recorder.suspend()):
            self._running.here.recorder = None

    def _stop_observing(self) -> None:
        if self._onlooker is not None:
            self._calls.onlooker = None
            self._onlooker.close()
        self._aside.close()
        self._moments.close()
        self._threads.close()
        self._exposures.close()
        self._leave()

    def stop_in_child(self) -> None:
        """Observe nothing in a forked process."""
        if self._process != os.getpid():
            self._children.forget()
            self.stop()

    @contextmanager
    def _in_thread(self, thread: threading.Thread) -> Iterator[None]:
        looking = nullcontext() if self._onlooker is None else self._onlooker.around_thread(thread)
        if self.observing:
            self._enter()
        try:
            with looking:
                yield
        finally:
            self._leave()

"""Keeps what the functions of the program's project are given, and give back."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

import torch

from autograd_lint.live.graph import numbers_of
from autograd_lint.live.observing import describing
from autograd_lint.live.observing.codes import Codes
from autograd_lint.live.observing.hook import Hook
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Sites
from autograd_lint.observed.calls import Call, Key, Observed
from autograd_lint.observed.values import Named

_MOST_WAITING = 1_024  # results of which it is not known yet whether backward walks through them


@dataclass(frozen=True, slots=True)
class _Begun:
    """A call that runs: its frame by its number, and what is known of it at its start."""

    frame: int
    key: Key
    arguments: Named
    own: Named | None
    grad_mode: bool


class _Running(threading.local):
    def __init__(self) -> None:
        self.calls: list[_Begun] = []

    def taken(self, frame: FrameType) -> _Begun | None:
        """The call that ends; those that began after it have ended without being seen."""
        numbers = [one.frame for one in self.calls]
        if id(frame) not in numbers:
            return None
        at = numbers.index(id(frame))
        begun = self.calls[at]
        del self.calls[at:]
        return begun


class Recording:
    """Keeps the calls of functions whose files lie below a folder, while it is open.

    One recording can be opened again with the record of another tracer.
    """

    def __init__(self, folder: Path, sites: Sites) -> None:
        self.observed = Observed()
        self._codes = Codes(folder.absolute(), sites)
        self._record = Record()
        self._hook = Hook(self._is_wanted, self._begins, self._ends)
        self._running = _Running()
        self._waiting: dict[int, list[tuple[Key, Call]]] = {}

    def open(self, record: Record) -> None:
        """Start to keep calls; what cannot be seen is counted in `record`."""
        self._record, self._running = record, _Running()
        if not self._hook.open():
            record.miss("the calls of functions: another profiler runs")

    def close(self) -> None:
        """Keep no more of them."""
        self._hook.close()
        self._settle()

    def _is_wanted(self, code: CodeType) -> bool:
        if not self._codes.knows(code):
            with self._record.looking("a function"):
                self._codes.learn(code)
        return self._codes.key_of(code) is not None

    def _begins(self, frame: FrameType) -> None:
        with self._record.looking("what a function was given"):
            key = self._codes.key_of(frame.f_code)
            if key is not None:
                self._running.calls.append(_begun(frame, key))

    def _ends(self, frame: FrameType, returned: object, *, raised: bool) -> None:
        begun = self._running.taken(frame)
        if begun is None:
            return
        with self._record.looking("what a function returned"):
            found = None if raised else describing.described(returned, {})
            call = Call(begun.arguments, begun.own, found, begun.grad_mode)
            self.observed.add(begun.key, call)
            self._wait_for(begun.key, call, returned)

    def _wait_for(self, key: Key, call: Call, returned: object) -> None:
        for number in numbers_of(describing.nodes_of(returned)):
            self._waiting.setdefault(number, []).append((key, call))
        if len(self._waiting) > _MOST_WAITING:
            self._settle()

    def _settle(self) -> None:
        """See which results backward has walked through; of the others nothing is known."""
        for number, returned in self._waiting.items():
            if self._record.calls.freed(number) is not None:
                for key, call in returned:
                    self.observed.mark_trained(key, call)
        self._waiting.clear()


def _begun(frame: FrameType, key: Key) -> _Begun:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    snapshot = frame.f_locals
    bound = {name: snapshot[name] for name in code.co_varnames[:count] if name in snapshot}
    own = None
    if "." in key.name and code.co_argcount:
        instance = bound.pop(code.co_varnames[0], None)
        own = None if describing.is_a(instance, type) else describing.own(instance)
    found = describing.arguments(bound)
    if sys.version_info[:2] == (3, 12):
        # It would keep the arguments alive. Later it is a view of them, and before, what a profiler
        # changes in it changes the program.
        snapshot.clear()
    return _Begun(id(frame), key, found, own, torch.is_grad_enabled())

"""Calls of the engine when nothing is observed any more: only a failure is looked into.

To walk through a graph of many tiny nodes takes a tenth of the time of the step that made them.
Here the walk is for naming the call that freed a node; so a call that is like one of an earlier
round is taken to free the same nodes, counted from its beginning, and is not walked through.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_lint.live import graph
from autograd_lint.live.backward import Engine, EngineCalls
from autograd_lint.live.calls import Asked, Call, asked
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.private import sequence_number
from autograd_lint.live.runs import NOTHING, Runs
from autograd_lint.live.sites import Site

_MOST = 64
Likeness = tuple[Any, ...]


class Round(NamedTuple):
    """A call that was walked through, when `began` nodes had been made, and what it has freed."""

    call: Call
    began: int
    freed: Runs


class Unobserved:
    """Calls the engine in the program's place, and does as little as can be before."""

    __slots__ = ("_began", "_calls", "_known")

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls
        self._began = 0  # the latest call
        self._known: dict[Likeness, Round] = {}

    @passes_on
    def run(
        self, engine: Engine, name: str, site: Site | None, outputs: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Run the engine on `outputs` as the program asked; errors pass through."""
        calls, began = self._calls, sequence_number()
        wanted = asked(*args, **kwargs)
        one = Round(Call(name, site, wanted.creates), began, NOTHING)
        with calls.record.looking(f"a graph before `{name}`"):
            one = self._round(one, outputs, wanted)
        self._began = began
        thread = calls.running.begins(one.call)
        try:
            result = engine(outputs, *args, **kwargs)
        except BaseException as error:
            calls.told_failure(error, one.call, outputs, wanted.inputs)
            calls.record.calls.add_soon(one.call, began, one.freed, began - one.began)
            raise
        finally:
            calls.running.ends(thread)
        calls.record.calls.add_soon(one.call, began, one.freed, began - one.began)
        return result

    def _round(self, new: Round, outputs: Any, wanted: Asked) -> Round:
        """The call of an earlier round that a new one is like; else that one, walked through."""
        call, began = new.call, new.began
        likeness = (call, wanted.keeps, began - self._began, *graph.ages(outputs, began))
        known = self._known.get(likeness)
        if known is not None:
            return known
        below = self._calls.look(outputs, call, self._calls.running.here)
        one = Round(call, began, NOTHING if wanted.keeps else below.nodes)
        # To nodes that are older than the call before, those of later rounds may not lead.
        if (below.nodes.first or 0) >= self._began:
            self._learn(likeness, one)
        return one

    def _learn(self, likeness: Likeness, one: Round) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[likeness] = one

"""Entries of a `state_dict()` that the program has set in a dictionary which nobody is given.

state = target.state_dict()
for name, value in net.state_dict().items():
    state[name] = 0.9 * state[name] + 0.1 * value      # no parameter is changed

The text tells that the dictionary is dropped, the run that the statement was reached.
"""

from __future__ import annotations

from autograd_lint.checkers.alone import lost_entries
from autograd_lint.engine.pitfalls import LOST_ENTRY, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.source import judged, lines_of


class States(Family):
    """Reads the files of which something has run."""

    __slots__ = ("_told",)

    def __init__(self, told: Told) -> None:
        self._told = told

    def at_end(self) -> None:
        """The program has run to its end: which entries has it set in vain?"""
        for filename in sorted(self._told.sites.files()):
            self._look_at(filename)

    def _look_at(self, filename: str) -> None:
        if not any("state_dict" in line for line in lines_of(filename)):
            return
        rows = self._told.sites.rows_of(filename)
        for fault in judged(lost_entries.judge, filename):
            if fault.detail == LOST_ENTRY and fault.place is not None and fault.place.row in rows:
                self._told.tell(
                    Pitfall.PARAMETER_REBOUND,
                    fault.place,
                    tensor=fault.tensor,
                    detail=LOST_ENTRY,
                )

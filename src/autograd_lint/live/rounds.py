"""What a thread does from one call of backward to the next, and whether it was observed."""

from __future__ import annotations

from autograd_lint.live.births import Births
from autograd_lint.live.calls import Call
from autograd_lint.live.private import sequence_number
from autograd_lint.live.resting import Resting

_MOST_CALLS = 64  # of which is kept what a round makes


class Rounds:
    """Is told of every outermost call of the engine; decides with it whether operators are observed
    until the next one. `births` is what makes the nodes of this thread."""

    __slots__ = ("_alike", "_began", "_births", "_resting")

    def __init__(self, births: Births, resting: Resting) -> None:
        self._births = births
        self._resting = resting
        self._began = sequence_number()
        self._alike: dict[Call, bytes] = {}  # what made the nodes of the latest round of each call

    def begins_call(self, call: Call, now: int) -> None:
        """A call begins when `now` nodes have been made: what has made those of this round? Where
        that was not seen, most likely what made as many in a round before."""
        if not self._resting.is_possible:
            return
        made = self._alike.get(call, b"")
        if not self._resting.is_on:
            self._keep(call, self._births.between(self._began, now))
        elif len(made) == (now - self._began) * self._births.SIZE:
            self._births.assume(self._began, made)

    def ends_call(self, call: Call, began: int) -> None:
        """It has ended that began when so many nodes had been made, and a round with it."""
        nodes, self._began = began - self._began, sequence_number()
        self._resting.ends_round(call, nodes)

    def _keep(self, call: Call, made: bytes) -> None:
        if len(self._alike) >= _MOST_CALLS:
            self._alike.clear()
        self._alike[call] = made

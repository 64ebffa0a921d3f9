"""When the operators of a thread are observed: while anything is new, and then now and then.

Programs repeat themselves. What is new is an operator at a place; a round is what a program does
between two calls of backward. After some rounds without anything new, or after many operators
without anything new, the thread's recorder rests: operators run as without it, while calls of
backward, steps of optimizers and cleared gradients are seen as ever. It observes again when one of
these is at a new place, when a round has made more or fewer graph nodes than those before, and
every so often: after 8 rounds, 16 more, 32 more.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograd_lint.live.sites import Site

DEFAULT_CALLS = 30  # of backward that are observed in full, fewer where they are alike
WHOLE_RUN = -1  # all of them
_CALM = 3  # rounds in a row in which nothing was new
_MOST_PLACES = 8  # of backward, each of which takes its turn in a period
_PAUSE = 8  # rounds that are not observed at first
_OPERATORS = 10_000  # in a row, none of them new
_GRAPHLESS = 10  # times so much counts an operator that makes no graph node
_LONGEST = 320_000  # where rounds are longer, the more are observed


class Attention:
    """Decides for one thread, whose recorder tells it all. `rounds` is how many calls of backward
    there were, `observed` before how many of them all operators were observed."""

    __slots__ = (
        "_calm", "_is_new", "_is_whole", "_known", "_left", "_limit", "_nodes", "_pause", "_paused",
        "_rests", "observed", "rests", "rounds",
    )  # fmt: skip

    def __init__(self) -> None:
        self.rounds = self.observed = self.rests = 0
        self._known: set[int] = set()  # hashes of operators and places, which are short
        self._nodes: dict[Hashable, tuple[int, int]] = {}  # the fewest and the most of a round
        self._limit = self._left = _OPERATORS
        self._is_new = self._is_whole = True  # this round
        self._rests = False
        self._calm = 0
        self._pause = self._paused = _PAUSE

    def sees(self, operator: str, site: Site | None, *, made_node: bool) -> bool:
        """An operator is observed; False where nothing new is to be expected of others."""
        at = (0, 0) if site is None else (id(site.code), site.instruction)
        key = hash((operator, *at))
        if key in self._known:
            self._left -= 1 if made_node else _GRAPHLESS
            return self._left > 0
        self._known.add(key)
        self._is_new, self._left = True, self._limit
        return True

    def discovers(self) -> None:
        """The program has come to a place where it has not been."""
        self._is_new, self._left, self._calm = True, self._limit, 0

    def rested(self) -> None:
        """The recorder does not observe any longer."""
        self.rests += 1
        self._rests, self._is_whole = True, False

    def woken(self) -> None:
        """The recorder observes again."""
        self._rests, self._left = False, self._limit

    def ends_round(self, place: Hashable, nodes: int) -> bool:
        """A call of backward at a place has ended a round in which so many nodes were made; whether
        the operators of the next one are to be observed."""
        fewest, most = self._nodes.get(place, (nodes + 1, nodes))
        is_usual = fewest <= nodes <= most
        self._nodes[place] = min(fewest, nodes), max(most, nodes)
        self.rounds += 1
        self.observed += self._is_whole
        is_cut = self._left <= 0
        if is_cut:
            self._limit = min(2 * self._limit, _LONGEST)
        goes_on = (
            self._after_pause(is_usual) if self._rests and not is_cut else self._go_on(is_usual)
        )
        self._is_new, self._is_whole, self._left = False, goes_on, self._limit
        return goes_on

    def _go_on(self, is_usual: bool) -> bool:
        self._calm = self._calm + 1 if is_usual and not self._is_new else 0
        if self._calm < self._period() + _CALM - 1:
            return True
        self._paused, self._pause = self._pause, 2 * self._pause
        return False

    def _after_pause(self, is_usual: bool) -> bool:
        self._paused -= 1
        if is_usual and self._paused > 0:
            return False
        self._calm = min(self._calm, _CALM - 1)  # a period is to be seen
        return True

    def _period(self) -> int:
        return min(len(self._nodes), _MOST_PLACES)

"""A dispatch mode that rests where nothing new is to be expected: operators run as without it.

A mode cannot leave while it handles an operator, for torch puts it back afterwards. It leaves at
the next call that Python's profiler hook shows, which is set for no longer than that, and only
where the program has not set one of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from types import FrameType

from torch.utils._python_dispatch import TorchDispatchMode

from autograd_lint.live.attention import Attention
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.private import is_innermost, is_transformed, modes_around
from autograd_lint.live.sites import Site

_MOST_CALLS = 256  # within which it leaves, or not at all


class Resting:
    """Lets a mode rest, and observe again, as `attention` says; without one it never rests.

    `begins` and `ends` are called when it has begun to rest and when it is about to observe again.
    `is_on` says that it rests. While it is `pinned`, it stays as it is.
    """

    __slots__ = ("_around", "_attention", "_begins", "_calls", "_ends", "_mode", "is_on", "pinned")

    def __init__(
        self,
        mode: TorchDispatchMode,
        attention: Attention | None,
        begins: Callable[[], None],
        ends: Callable[[], None],
    ) -> None:
        self._mode = mode
        self._attention = attention
        self._begins = begins
        self._ends = ends
        self._around: tuple[int, object] = (0, None)  # the modes that it is to come back to
        self._calls = 0
        self.is_on = False
        self.pinned = 0

    @property
    def is_possible(self) -> bool:
        """Whether it may ever rest."""
        return self._attention is not None

    @contextmanager
    def as_it_is(self) -> Iterator[None]:
        """It neither begins to rest nor ends."""
        self.pinned += 1
        try:
            yield
        finally:
            self.pinned -= 1

    def saw(self, operator: str, site: Site | None, *, made_node: bool) -> None:
        """The mode handles an operator."""
        attention = self._attention
        if attention is None or attention.sees(operator, site, made_node=made_node):
            return
        if sys.getprofile() is None and not self.pinned:
            self._calls = 0
            sys.setprofile(self._leave)

    def discovers(self) -> None:
        """The program has come to a place where it has not been."""
        if self._attention is not None and self.is_on and self._wake():
            self._attention.discovers()

    def ends_round(self, place: Hashable, nodes: int) -> None:
        """A call of backward at a place has ended a round in which so many nodes were made."""
        if self._attention is None:
            return
        if self._attention.ends_round(place, nodes):
            self._wake()
        else:
            self._rest()

    @passes_on
    def _leave(self, frame: FrameType, event: str, argument: object) -> None:
        self._calls += 1
        if self._rest() or self._calls > _MOST_CALLS:
            sys.setprofile(None)
            if self._attention is not None and not self.is_on:
                self._attention.woken()

    def _rest(self) -> bool:
        if self.is_on or self.pinned or is_transformed() or not is_innermost(self._mode):
            return self.is_on
        self._mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._around, self.is_on = modes_around(), True
        if self._attention is not None:
            self._attention.rested()
        self._begins()
        return True

    def _wake(self) -> bool:
        if not self.is_on or self.pinned or is_transformed() or modes_around() != self._around:
            return not self.is_on
        self.is_on = False
        if self._attention is not None:
            self._attention.woken()
        self._ends()
        self._mode.__enter__()  # type: ignore[no-untyped-call]
        return True

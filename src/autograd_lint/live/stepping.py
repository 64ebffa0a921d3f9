"""The running step of an optimizer: whether what runs is its own, or a closure's of the program."""

from __future__ import annotations

import torch

from autograd_lint.live.memory import UNKNOWN
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Step
from autograd_lint.live.sites import Site


class Stepping:
    """`site` is that of the running step, None outside of one."""

    __slots__ = ("_before", "_optimized", "site")

    def __init__(self) -> None:
        self.site: Site | None = None
        self._optimized: frozenset[int | None] = frozenset()  # the memories of its parameters
        self._before = UNKNOWN  # how many nodes there were when it began without a closure

    def begin(self, step: Step, nodes: int) -> None:
        """A step begins, when so many nodes had been made; UNKNOWN where it was given a closure."""
        self.site = step.site
        self._optimized = frozenset(storage_id(p) for p, _ in step.parameters)
        self._before = nodes

    def end(self) -> None:
        """It has ended."""
        self.site, self._optimized = None, frozenset()

    def is_own(self, nodes: int) -> bool:
        """Whether the optimizer itself runs, not a closure of it: it steps without grad mode, or
        was given no closure and has made no graph so far."""
        if self.site is None:
            return False
        return not torch.is_grad_enabled() or nodes == self._before

    def is_state(self, storage: int, nodes: int) -> bool:
        """Whether the optimizer itself writes to that memory, which is none of its parameters."""
        return self.is_own(nodes) and storage not in self._optimized

"""Looks on while a program runs, and hands what it sees to the families of pitfalls."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from types import CodeType
from typing import Any

import torch

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.calls import Asked, Call
from autograd_lint.live.pitfalls.families import Families
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.hearing import Hearing
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, tensors_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import without_grad
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site, Sites

_BACKWARDS = ("backward", "jvp", "vjp")  # of a custom Function


class Onlooker:
    """While open, looks on; `faults` tells of the pitfalls. Keeps no tensor alive.

    What operators do it is told by the recorder, what the engine does by those who call that, and
    what functions of torch are called by its `Hearing`.
    """

    __slots__ = ("_creating", "_families", "_hearing", "_record", "_told")

    def __init__(self, record: Record, sites: Sites) -> None:
        self._record = record
        self._told = Told(record, sites)
        self._families = Families(self._told)
        self._hearing = Hearing(self._told, self._families)
        self._creating = False  # a graph of gradients

    @property
    def faults(self) -> list[Fault]:
        """What was told so far."""
        return self._told.faults

    def open(self) -> None:
        """Start to look on."""
        self._record.watcher = self
        self._hearing.open()

    def close(self) -> None:
        """Leave torch as it was."""
        if self._record.watcher is self:
            self._record.watcher = self._record.tape = None
            self._record.told_use.clear()
            self._record.told_of.clear()
        self._hearing.close()

    def at_end(self, *, whole: bool) -> None:
        """All was seen that is to be judged; `whole` says that the program has run to its end."""
        with self._record.looking("what was left at the end"), without_grad():
            if whole:
                if self._families.gradients.backwards:
                    self._families.say(Family.trained)
                self._families.say(Family.at_end)

    def cut(self, site: Site, tensor: torch.Tensor, operator: str) -> None:
        """An operator at a place leaves the graph of a tensor."""
        if self._creating and site.code.co_name in _BACKWARDS and torch.is_grad_enabled():
            self._told.tell(Pitfall.CUT_IN_BACKWARD, site, operator=operator)
        if not operator.endswith("_like"):  # takes the shape alone, as the engine does of a root
            self._families.say(Family.cut, operator, site, tensor)

    def added(self, site: Site, number: int, operator: str) -> None:
        """What an operator has left there is added to what has a graph, by the node `number`."""
        self._families.say(Family.added, operator, site, number)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator has given an alias of a leaf, without its graph."""
        self._families.say(Family.took, site, alias, leaf, operator)

    def is_of_trained(self, site: Site) -> bool:
        """Whether an operator there is known to leave a graph of what optimizers have."""
        return self._families.cuts.leaves_trained(site)

    def used(self, site: Site, operator: str) -> None:
        """What has left a graph there is given to an operator that has a node."""
        self._families.say(Family.used, site, operator)

    def combined(self, site: Site, number: int, operator: str, given: tuple[Any, ...]) -> None:
        """An operator has made a node of these, for the first time at a place."""
        self._families.say(Family.combined, operator, given, site, number)

    def wrote(self, site: Site | None, tensor: torch.Tensor, operator: str) -> None:
        """An operator has written to a tensor."""
        if site is not None and site.optimizer is None:
            self._families.say(Family.wrote, tensor, operator, site)

    def replaced(self, site: Site, tensor: torch.Tensor, value: torch.Tensor) -> None:
        """The `.data` of a tensor is about to be set."""
        with without_grad():
            self._families.say(Family.replaced, tensor, value, site)

    def off(self) -> Site | CodeType | None:
        """What has switched grad mode off in this thread: a call, or a decorated function."""
        return self._families.modes.off()

    def calling(
        self,
        below: tuple[list[Any], list[int]],
        outputs: Any,
        call: Call,
        wanted: Asked,
        *,
        closely: bool,
    ) -> list[Leaf]:
        """A call of the engine begins that walks through these nodes, of these numbers; the leaves
        it is to fill.

        `closely` says that each node is to be looked at, for operators were observed before.
        """
        nodes, numbers = below
        walk = Walk(
            call.name, call.site, tensors_of(outputs), nodes, numbers, graph.leaves_in(nodes),
            tensors_of(wanted.inputs), wanted.accumulates, wanted.keeps, wanted.creates, closely,
            graph.by_operator(nodes) if closely else {},
        )  # fmt: skip
        self._creating = call.creates
        self._families.say(Family.before_backward, walk)
        filled = self._families.gradients.filling
        self._families.say(Family.fills, filled, walk.site)
        if closely:
            with without_grad():
                self._families.say(Family.look, walk)
        return filled

    def called(self, outputs: Any, call: Call, filled: Sequence[Leaf], result: Any) -> None:
        """It has returned `result`: the gradients that it was asked for by name."""
        self._creating = False
        with without_grad():
            walked = Walked(call, outputs, filled, result)
            self._families.say(Family.after_backward, walked)

    def around_thread(self, thread: Thread) -> Any:
        """What a thread does."""
        return self._families.modes.around(thread)

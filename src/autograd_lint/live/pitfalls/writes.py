"""Writes to tensors whose gradient was asked for, or that have no derivative."""

from __future__ import annotations

from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.naming import name_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_COMPARING = tuple(f"{name}Backward" for name in ("Eq", "Ge", "Gt", "Le", "Lt", "Ne"))


class Observed(Family):
    """Remembers what `register_hook` and `retain_grad` were called on, and writes without node.

    Where no variable leads to such a tensor when backward begins, the program has not kept what was
    written beside the gradient that it is to see.
    """

    __slots__ = ("_asked", "_modified", "_told", "_written")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._asked: dict[int, tuple[ref[torch.Tensor], Site | None]] = {}
        self._modified: list[tuple[ref[torch.Tensor], Site | None, str, Site]] = []
        self._written: list[tuple[ref[torch.Tensor], int, str, Site]] = []

    def asked(self, tensor: torch.Tensor, site: Site | None) -> None:
        """The gradient of a tensor is to be seen."""
        if site is not None and graph.node_of(tensor) is not None:
            self._asked[id(tensor)] = ref(tensor), site

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor in grad mode."""
        if not torch.is_grad_enabled():
            return
        known, asked = self._asked.get(id(tensor), (None, None))
        if known is not None and known() is tensor:
            self._modified.append((known, asked, operator, site))
        own = tensor if tensor._base is None else tensor._base
        number = None if graph.node_of(own) is None else graph.sequence_of(own.grad_fn)
        if number is not None and operator.startswith(("logical_", "bitwise_")):
            self._written.append((ref(own), number, operator, site))

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        modified, self._modified = self._modified, []
        for observed, asked, operator, site in modified:
            tensor = observed()
            if tensor is not None and name_of(tensor, self._told.sites) is not None:
                built = Created(place_of(asked), "register_hook")
                name = name_at(site)
                self._told.tell(
                    Pitfall.OBSERVED_MODIFIED, site, tensor=name, operator=operator, built=built
                )
        for node in walk.nodes:
            if graph.name_of(node).startswith(_COMPARING):
                birth = birth_of(node, self._told.record)
                if birth is not None:
                    self._tell(birth.operator, birth.site)
        walked: set[Any] = set(walk.nodes) if self._written else set()
        for known, number, operator, site in self._written:
            tensor = known()
            node = None if tensor is None else graph.node_of(tensor)
            if node is not None and node in walked and graph.sequence_of(node) == number:
                self._tell(operator, site)
        self._written.clear()

    def _tell(self, operator: str, site: Site | None) -> None:
        name = name_at(site)
        self._told.tell(Pitfall.WRITE_WITHOUT_DERIVATIVE, site, tensor=name, operator=operator)

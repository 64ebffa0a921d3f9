"""Custom Functions and checkpoints that give no gradient to a leaf that they use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.definitions import result
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site
from autograd_lint.live.unchecked import read_by_call


class Functions(Family):
    """Knows which leaves custom Functions were given, by identity; keeps none alive."""

    __slots__ = ("_given", "_gradients", "_read", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._given: dict[int, tuple[ref[torch.Tensor], Any, str | None]] = {}
        self._read: dict[Site, list[Leaf]] = {}

    def checkpointed(self, run: Any, given: Iterable[Any], site: Site | None) -> None:
        """A reentrant checkpoint begins: what does its function read, where nothing that it is
        given requires grad?"""
        needless = not torch.is_grad_enabled() or any(one.requires_grad for one in tensors(given))
        if site is None or needless or site in self._read:
            return
        found = [tensor for _, tensor in read_by_call(run)]
        self._read[site] = [
            self._gradients.leaf(one) for one in found if one.is_leaf and one.requires_grad
        ]

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        for node in walk.nodes:
            function = getattr(node, "_forward_cls", None)
            if function is not None and walk.accumulates and not walk.inputs:
                for leaf in graph.leaves_in(one for one, _ in node.next_functions if one):
                    self._note(leaf, function)

    def at_end(self) -> None:
        """The program has run to its end: which of them never got a gradient?"""
        for site, read in self._read.items():
            if self._gradients.backwards and read and not any(leaf.reached for leaf in read):
                self._told.tell(Pitfall.CHECKPOINT_CUTS, site)
        for known, function, name in self._given.values():
            leaf = known()
            if leaf is None or leaf.grad is not None or self._gradients.filled(leaf):
                continue
            built = Created(result(function.backward), function.__name__)
            if built.place is None or not self._told.sites.is_user_file(built.place.filename):
                continue  # a library's may give what it computes elsewhere
            self._told.tell(
                Pitfall.GRADIENT_CUT,
                built.place,
                tensor=name,
                operator=function.__name__,
                built=built,
            )

    def _note(self, leaf: torch.Tensor, function: Any) -> None:
        if id(leaf) not in self._given:
            self._given[id(leaf)] = ref(leaf), function, name_of(leaf, self._told.sites)

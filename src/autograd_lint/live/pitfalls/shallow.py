"""Second modules that are no copies: `copy.copy` gives them the very parameters of the first one.

target = copy.copy(online)
...
target.load_state_dict(online.state_dict())      # its own
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_lint.checkers.alone import shallow_copies
from autograd_lint.engine.pitfalls import SHALLOW, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site
from autograd_lint.live.source import judged

_MOST = 64  # copies that are remembered


@dataclass(slots=True)
class _Copy:
    """A module that shares the parameters of another one: these, where it was made, and whether it
    was given a state to load, as one is that has parameters of its own."""

    module: ref[torch.nn.Module]
    leaves: list[Leaf]
    site: Site
    is_loaded: bool = False


class Shallow(Family):
    """Knows the modules that were copied without their parameters; keeps none alive."""

    __slots__ = ("_copies", "_gradients", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._copies: list[_Copy] = []

    def shared(self, copy: torch.nn.Module, site: Site | None) -> None:
        """A module was copied, and its parameters were not."""
        leaves = [self._gradients.leaf(one) for one in copy.parameters()]
        if site is not None and leaves and len(self._copies) < _MOST:
            self._copies.append(_Copy(ref(copy), leaves, site))

    def loading(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module is about to load a state."""
        for known in self._copies:
            known.is_loaded |= known.module() is module

    def trained(self) -> None:
        """The program has run to its end: which of them share what was trained?"""
        for known in self._copies:
            if not any(leaf.owned and leaf.moved for leaf in known.leaves):
                continue
            found = judged(shallow_copies.judge, known.site.filename)
            place = known.site.place
            fault = next((one for one in found if one.place and one.place.row == place.row), None)
            if fault is not None or known.is_loaded:
                self._told.tell(
                    Pitfall.OWN_STATE,
                    place,
                    tensor=fault.tensor if fault is not None else None,
                    operator=fault.operator if fault is not None else "another module",
                    detail=SHALLOW,
                )
